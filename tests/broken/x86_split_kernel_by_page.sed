# src/arch/x86_64/ktlb_arch/arch.h: pages of the kernel go as if they were global
# unit: split in x86_64-split
/^static inline int ktlb_arch_kernel_by_page/,/^}/ { s/!KTLB_CFG_SPLIT_IDS \&\&/1 \&\&/
s/(features \& KTLB_FEATURE_GLOBAL_PAGES)/1/
}
