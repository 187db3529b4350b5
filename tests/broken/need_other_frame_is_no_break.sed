# src/arch/arm64/ktlb_arch/arch.h: another page in place of a page needs no break before make
# unit: need
/^static inline uint32_t ktlb_arm64_need_leaf/,/^}/ s/KTLB_NEED_BREAK/KTLB_NEED_FLUSH/
