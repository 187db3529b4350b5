# src/ktlb_shootdown_ipi.c: a flush forgets whom the last one has asked
# unit: protocol
s/^\t\tktlb_cpuset_copy(\&self->asked, targets);//
