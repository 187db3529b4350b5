# src/ktlb_shootdown_ipi.c: a CPU between two roots is taken for one that runs another space
# unit: protocol and stress
s/loaded != space \&\& loaded != KTLB_SWITCHING/loaded != space/
