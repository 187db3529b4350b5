# src/ktlb_shootdown_broadcast.c: a space goes from the kernel's ASID alone
# unit: pairs in split
/^KTLB_INLINE void invalidate_id/,/^}/ s/if (KTLB_ARCH_USER_TWIN)/if (0)/
