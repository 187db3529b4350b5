# src/ktlb_shootdown_ipi.c: a range is flushed although an earlier request is still to come
# check: two-flushers-one-user any
# retells: M6 a later range overtakes an earlier flush
s/number == slot->clean + 1 \&\& number == generation/number == generation/
