# src/arch/arm64/ktlb_arch/arch.h: no ISB after the root [B6]
# unit: switch
s/ktlb_insn_isb(); .* \[B6\] .*//
