# src/ktlb_asid_global.c: a rollover still looks at a CPU that has gone
# unit: cpus
# check: cpu-offline any
/^void ktlb_ids_cpu_offline/,/^}/s/ktlb_cpuset_remove(&ktlb_online, self->number);//
