# src/ktlb_asid_global.c: who walks under a pinned number does so before its id is seen
# unit: kept
/^uint32_t ktlb_ids_pin/,/^}/ s/ktlb_arch_id_barrier();//
