# src/ktlb_shootdown_ipi.c: a range is flushed for a number that is not the latest, and the latest is stored
# check: two-flushers-one-user any
# retells: M6 clean up to more than was flushed
s/number == slot->clean + 1 \&\& number == generation/number == slot->clean + 1/
