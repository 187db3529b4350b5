# src/arch/arm64/ktlb_arch/arch.h: a range is rounded down
# unit: cover
/^static inline struct ktlb_arch_cover ktlb_arm64_cover/,/^}/ s/(cover\.pages + step - 1) \& /cover.pages \& /
