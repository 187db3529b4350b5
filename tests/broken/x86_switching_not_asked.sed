# src/ktlb_shootdown_ipi.c: a CPU between two roots is taken for one that runs another space
# unit: protocol
s/loaded != space \&\& loaded != KTLB_SWITCHING/loaded != space/
