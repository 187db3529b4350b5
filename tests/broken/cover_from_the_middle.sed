# src/arch/arm64/ktlb_arch/arch.h: the pages below are added at the end
# unit: cover
/^static inline struct ktlb_arch_cover ktlb_arm64_cover/,/^}/ s/cover\.va -= below << page_shift;/;/
