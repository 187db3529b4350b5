# src/ktlb_asid_percpu.c: a CPU comes online with what its TLB held before
# check: cpu-online sc
# retells: S18 nothing is flushed between the tables of start-up and the real ones
/^void ktlb_ids_cpu_online/,/^}/ s/^\tktlb_arch_flush_everything.*//
