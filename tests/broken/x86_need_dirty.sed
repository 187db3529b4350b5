# src/arch/x86_64/ktlb_arch/arch.h: a dirty flag is cleared without a flush
# unit: need in x86_64-default
s/(gone & (KTLB_X86_PTE_WRITE | KTLB_X86_PTE_DIRTY))/(gone \& KTLB_X86_PTE_WRITE)/
