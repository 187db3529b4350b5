# src/ktlb_shootdown_ipi.c: pages go from the kernel's id alone
# unit: split in x86_64-split
/^KTLB_INLINE void flush_pages/,/^}/ s/if (!KTLB_CFG_SPLIT_IDS)/if (1)/
