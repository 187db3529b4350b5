# src/ktlb_shootdown_ipi.c: a range is flushed although the CPU lacks more than that
# boot: hidden, for a lock lets one change at a time into a space of the sample kernel; unit: percpu and stress
s/number == slot->clean + 1 \&\& number == generation/number != 0/
