# src/arch/arm64/ktlb_arch/arch.h: ASIDs of two numbers are neighbours
# unit: pairs in split
/^static inline uint64_t ktlb_arch_asid/,/^}/ s/number << KTLB_CFG_SPLIT_IDS/number/
