# src/arch/arm64/ktlb_arch/arch.h: the empty table is shared, too
# unit: kept in cnp
/^static inline void ktlb_arch_load_kernel_root/,/^}/ s/write_ttbr0(kernel_root)/write_ttbr0(kernel_root | KTLB_CFG_ARM64_CNP)/
