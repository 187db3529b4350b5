# src/ktlb_shootdown_ipi.c: a request without a number is taken for one that has been done
# unit: percpu
s/if (number != 0 \&\& number <= slot->clean)/if (number <= slot->clean)/
