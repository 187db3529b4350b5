# src/arch/x86_64/ktlb_arch/arch.h: another page in place of a page needs no flush
# unit: need in x86_64-default
/^static inline uint32_t ktlb_x86_need_same/,/^}/ s/return KTLB_NEED_FLUSH;/return KTLB_NEED_LOCAL_ON_FAULT;/
