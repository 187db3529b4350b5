# src/arch/x86_64/ktlb_arch/arch.h: CR4.PGE is written without a change
# check: kernel-flush any
# retells: S25 global entries are not matched
s/ktlb_insn_write_cr4(cr4 ^ KTLB_X86_CR4_PGE);/ktlb_insn_write_cr4(cr4);/
