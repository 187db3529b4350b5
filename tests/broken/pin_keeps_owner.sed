# src/ktlb_asid_global.c: a pinned space is flushed on one CPU
# unit: local in local
/^uint32_t ktlb_ids_pin/,/^}/ s/if (KTLB_ARCH_LOCAL)/if (0)/
