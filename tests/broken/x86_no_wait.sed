# src/ktlb_shootdown_ipi.c: nobody waits for the answers
# boot: fails, unit: percpu and stress
/^static void flush(struct/,/^}/ s/^\t\twait_for(self, targets, sequence);/\t\t;/
s/^\twait_for(pending->from, &pending->asked, pending->sequence);/\t(void)pending;/
# check: flush-access any
# retells: M14 no wait for the answer
