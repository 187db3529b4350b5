# src/ktlb_shootdown_ipi.c: a request has the sequence of the last one
# check: misuse-offline-kernel-table sc
# retells: M14 no wait for the answer
s/self->request.sequence = ++sequence;/self->request.sequence = sequence;/
