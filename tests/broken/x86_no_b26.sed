# src/ktlb_shootdown_ipi.c: lazy may be read before loaded [B26]
# unit: protocol
s/^\tktlb_fence_acquire(); \/\* \[B26\] \*\///
