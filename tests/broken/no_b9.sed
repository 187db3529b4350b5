# src/arch/arm64/ktlb_arch/arch.h: the new root meets the old id [B9]
# unit: switch (with the id in TTBR1)
# check: any any ttbr1
s/ktlb_insn_isb(); .* \[B9\].*//
