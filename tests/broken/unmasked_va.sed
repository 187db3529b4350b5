# src/arch/arm64/ktlb_arch/arch.h: a kernel address reaches hint and id of the operand
# unit: operands
# check: kernel-flush any
# retells: M13 a kernel address reaches hint and id
s/ & (((uint64_t)1 << 44) - 1));/);/
