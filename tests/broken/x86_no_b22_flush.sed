# src/ktlb_shootdown_ipi.c: no fence between a change of the kernel's half and the reading of who is online [B22]
# unit: protocol
s/^\tktlb_fence_full(); \/\* \[B22\] \*\///
