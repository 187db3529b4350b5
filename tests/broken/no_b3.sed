# src/arch/arm64/ktlb_arch/arch.h: no barrier between the id and the root [B3]
# unit: switch
# check: rollover-flush tso
# check: rollover-flush weak
/^static inline void ktlb_arch_id_barrier/,/^}/ s/ktlb_insn_dsb_ish();//
