# src/ktlb_shootdown_ipi.c: a request without a number is taken for one that has been done
# unit: percpu
# check: flush-unnumbered sc
# retells: X06 a request without a generation is taken for an old one
s/if (number != 0 \&\& number <= slot->clean)/if (number <= slot->clean)/
