# src/arch/arm64/ktlb_arch/arch.h: a spurious fault is fixed under the kernel's ASID alone
# unit: pairs in split
/^static inline void ktlb_arch_flush_here/,/^}/ s/if (KTLB_ARCH_USER_TWIN)/if (0)/
