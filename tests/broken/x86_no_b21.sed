# src/ktlb_switch_percpu.c: no fence between lazy and the generation [B21]
# unit: protocol
s/^\tktlb_fence_full(); *\/\* \[B21\] \*\///
