# src/arch/arm64/ktlb_arch/arch.h: the operand by id has the id in its low bits
# check: cpu-offline-kernel sc
# retells: C11 the id is not in bits 63 to 48
/^static inline uint64_t ktlb_arm64_id_operand/,/^}/ s/return id << 48;/return id;/
