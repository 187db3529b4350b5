# src/arch/x86_64/ktlb_arch/arch.h: a flush of the current PCID writes CR3 with bit 63
# check: flush-access any
# retells: X17 a root register write that keeps what should go
/^static inline void ktlb_arch_flush_current/,/^}/ s/ktlb_insn_read_cr3()/ktlb_insn_read_cr3() | KTLB_X86_CR3_KEEP/
