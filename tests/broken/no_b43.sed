# src/arch/arm64/ktlb_arch/arch.h: without [B43]
# unit: need
# check: spurious-fault any
/^static inline void ktlb_arch_flush_here/,/^}/ s/^\tktlb_insn_dsb_nsh(); .. \[B43\].*//
