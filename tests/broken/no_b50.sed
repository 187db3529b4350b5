# src/arch/arm64/ktlb_arch/arch.h: no barrier between the first run on a CPU and the root [B50]
# unit: local in local
# check: first-run any local
/^static inline void ktlb_arch_owner_barrier/,/^}/ s/ktlb_insn_dsb_ish();//
