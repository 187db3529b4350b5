# src/ktlb_shootdown_ipi.c: a flush forgets whom the last one has asked
# unit: protocol
# check: two-moved-flushes weak
# retells: S27 a request does not outlive its last answer
s/^\t\tktlb_cpuset_copy(\&self->asked, targets);//
