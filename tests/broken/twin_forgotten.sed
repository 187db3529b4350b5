# src/ktlb_shootdown_broadcast.c: an address goes from the kernel's ASID alone
# unit: pairs in split
/^KTLB_INLINE void invalidate_va/,/^}/ s/if (KTLB_ARCH_USER_TWIN \&\&/if (0 \&\&/
