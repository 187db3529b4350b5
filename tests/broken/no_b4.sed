# src/arch/arm64/ktlb_arch/arch.h: nobody waits for the TLBIs [B4]
# unit: flush
# check: flush-access any
# retells: M12, R02 no barrier after the invalidation
/^static inline void ktlb_arch_complete/,/if (/ s/ktlb_insn_dsb_ish();//
