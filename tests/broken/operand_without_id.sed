# src/arch/arm64/ktlb_arch/arch.h: the operand by address has no id
# check: flush-access any
# retells: C11 the id is not in bits 63 to 48
/^static inline uint64_t ktlb_arm64_va_operand/,/^}/ s/return id << 48 | hint/return 0 * id | hint/
