# src/ktlb_shootdown_ipi.c: a range is flushed although the CPU lacks more than that
# boot: fails, unit: percpu and stress
# check: two-flushers-one-user any
# retells: M6 a range although more is missing
s/number == slot->clean + 1 \&\& number == generation/number != 0/
