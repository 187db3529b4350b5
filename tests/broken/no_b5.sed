# src/arch/arm64/ktlb_arch/arch.h: no ISB after a change of the kernel's half [B5]
# unit: flush
# check: kernel-flush any
# retells: R03 no ISB after a change of the kernel half
/^static inline void ktlb_arch_sync_barrier/,/^}/ s/ktlb_insn_isb();//
