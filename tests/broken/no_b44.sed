# src/arch/arm64/ktlb_arch/arch.h: without [B44]
# unit: need
# check: spurious-fault weak
/^static inline void ktlb_arch_flush_here/,/^}/ s/^\tktlb_insn_dsb_nsh(); .. \[B44\].*//
