# src/arch/arm64/ktlb_arch/arch.h: no barrier between the entry and the id [B2]
# unit: flush
# check: flush-access any
# retells: M12, R02 no barrier before the invalidation
/^static inline void ktlb_arch_changes_barrier/,/^}/ s/ktlb_insn_dsb_ishst();//
