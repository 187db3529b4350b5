# src/arch/arm64/ktlb_arch/arch.h: a kernel address reaches hint and id of the operand
# unit: operands
s/ & (((uint64_t)1 << 44) - 1));/));/
s/(va >> page_shift << (page_shift - 12)))/(va >> page_shift << (page_shift - 12))/
