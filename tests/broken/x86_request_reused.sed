# src/ktlb_shootdown_ipi.c: a flush writes its request before the last one has been answered by all
# unit: protocol and stress
# check: two-moved-flushes sc
# retells: S27 a request does not outlive its last answer
s/^\t\twait_for(self, \&self->asked, sequence);//
