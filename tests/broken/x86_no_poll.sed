# src/ktlb_shootdown_ipi.c: who waits does not serve the others
# check: two-flushers-masked any
# retells: S01 two CPUs wait for each other with interrupts off
/^static void wait_for/,/^}/ s/ktlb_poll();/;/
