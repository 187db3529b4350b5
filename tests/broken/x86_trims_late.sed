# src/ktlb_shootdown_ipi.c: the set is trimmed a change late
# unit: protocol
s/TRIM_EVERY == 0/TRIM_EVERY == 1/
