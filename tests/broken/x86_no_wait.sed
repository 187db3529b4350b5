# src/ktlb_shootdown_ipi.c: nobody waits for the answers
# boot: fails, unit: percpu
s/^\twait_for(self, targets, sequence);//
