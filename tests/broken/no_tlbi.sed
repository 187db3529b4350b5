# src/arch/arm64/ktlb_arch/insn.h: no TLBI is ever broadcast
# boot: fails touch-unmap-fault
s/__asm__ volatile("tlbi v[a-z]*1is, %0" : : "r"(operand) : "memory");/(void)operand;/
s/__asm__ volatile("sys #0, c8, c2, #[0-9], %0" : : "r"(operand) : "memory");/(void)operand;/
s/__asm__ volatile("tlbi aside1is, %0" : : "r"(operand) : "memory");/(void)operand;/
s/__asm__ volatile("tlbi vmalle1is" : : : "memory");//
