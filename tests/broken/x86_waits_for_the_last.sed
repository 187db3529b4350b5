# src/ktlb_shootdown_ipi.c: a flush waits for the answer to the request before it
# check: flush-again any
# retells: M14 no wait for the answer
/^static void flush(/,/^}/ s/wait_for(self, targets, sequence);/wait_for(self, targets, sequence - 1);/
