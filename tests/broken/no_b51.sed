# src/arch/arm64/ktlb_arch/arch.h: no wait for what is invalidated here alone [B51]
# unit: local in local
# check: first-run any local
/^static inline void ktlb_arch_complete_local/,/^}/ s/ktlb_insn_dsb_nsh(); .*B51.*/;/
