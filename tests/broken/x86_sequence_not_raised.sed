# src/ktlb_shootdown_ipi.c: a request has the sequence of the last one
# check: cpu-offline-kernel sc
# retells: M14 no wait for the answer
s/self->request.sequence = ++sequence;/self->request.sequence = sequence;/
