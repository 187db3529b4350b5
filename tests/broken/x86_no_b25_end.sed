# src/ktlb_shootdown_ipi.c: no fence between the end of a space and the reading of its set [B25]
# unit: protocol
s/^\tktlb_fence_full(); \/\* \[B25\] \*\///
