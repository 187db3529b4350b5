# src/arch/arm64/ktlb_arch/arch.h: no ISB after the root [B6]
# unit: switch
# check: cpu-offline-reap sc
s/ktlb_insn_isb(); .* \[B6\] .*//
