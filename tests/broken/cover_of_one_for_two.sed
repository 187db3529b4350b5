# src/arch/arm64/ktlb_arch/arch.h: two instructions cover as much too much as one
# unit: cover
/^static inline struct ktlb_arch_cover ktlb_arm64_cover/,/^}/ s/step >>= 5;/;/
