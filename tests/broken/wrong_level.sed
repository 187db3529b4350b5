# src/arch/arm64/ktlb_arch/arch.h: a level hint is one too small
# check: flush-access any
# retells: C05 a wrong level hint
/^static inline uint32_t ktlb_arm64_level/,/^}/ s/? 0 : 3 - levels_up/? 0 : 2 - levels_up/
