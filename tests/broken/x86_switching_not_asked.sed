# src/ktlb_shootdown_ipi.c: a CPU between two roots is taken for one that runs another space
# unit: protocol and stress
# check: flush-come any
# retells: X01 a CPU that is switching is not interrupted
s/loaded != space \&\& loaded != KTLB_SWITCHING/loaded != space/
