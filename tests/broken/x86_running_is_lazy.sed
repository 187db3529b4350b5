# src/ktlb_shootdown_ipi.c: the test for lazy CPUs is inverted
# check: flush-access any
# retells: M18 an inverted "is it running"
s/return ktlb_load_relaxed(&cpu->lazy) ? IS_LAZY : NEEDS_REQUEST;/return ktlb_load_relaxed(\&cpu->lazy) ? NEEDS_REQUEST : IS_LAZY;/
