# src/ktlb_asid_global.c: the first unpin of two is the last
# unit: kept
s/if (--space->pins == 0 \&\&/if (--space->pins, space->keeps \&\&/
