# src/ktlb_asid_global.c: what a rollover kept for a CPU stays kept when it goes
# unit: cpus
# check: cpu-offline-rollover weak
/^void ktlb_ids_cpu_offline/,/^}/{/reserved = 0/d;/leaving = 0/d;}
