# src/arch/arm64/ktlb_arch/arch.h: the root register gets no id
# check: cpu-offline-rollover sc
# retells: A12, B12 a root without its id
/^static inline uint64_t ktlb_arm64_ttbr/,/^}/ s/| id << 48/| 0 * id/
