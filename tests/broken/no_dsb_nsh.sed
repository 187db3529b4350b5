# src/arch/arm64/ktlb_arch/arch.h: nobody waits for the local TLBI [B7]
# unit: ids
# check: id-reuse any
/^static inline void ktlb_arch_flush_own/,/^}/ s/ktlb_insn_dsb_nsh();//
