# src/arch/arm64/ktlb_arch/arch.h: the operand by address is the address
# check: flush-access any
# retells: C08 a raw address as operand
s/(va >> page_shift << (page_shift - 12) \& (((uint64_t)1 << 44) - 1))/(va + 0 * page_shift \& (((uint64_t)1 << 44) - 1))/
