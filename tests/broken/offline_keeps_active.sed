# src/ktlb_asid_global.c: a CPU that is not online switches as if it were
# unit: cpus
/^void ktlb_ids_cpu_offline/,/^}/s/(uint64_t)0);/KTLB_ID_LAZY);/
