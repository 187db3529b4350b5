# src/arch/arm64/ktlb_arch/arch.h: a switch does not complete the outgoing thread's TLBIs [B1]
# unit: switch
# check: moved-flush any
# retells: S12 a DSB on another CPU completes nothing
/^static inline void ktlb_arch_switch_barrier/,/^}/ s/ktlb_insn_dsb_ish();//
