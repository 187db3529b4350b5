# src/ktlb_shootdown_broadcast.c: of several leaves the first is invalidated
# check: flush-access any range_none
# retells: C14 the loop does not advance
s/for (; leaves; leaves--, va += (uint64_t)1 << step_shift)/for (; leaves; leaves--)/
