# src/arch/arm64/ktlb_arch/arch.h: the new id meets the old root [B8]
# unit: switch (with the id in TTBR1)
# check: any any ttbr1
s/ktlb_insn_isb(); .* \[B8\].*//
