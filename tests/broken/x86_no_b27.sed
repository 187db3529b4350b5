# src/ktlb_shootdown_ipi.c: the queue is taken without acquire [B27]
# unit: protocol
s/ktlb_exchange_acquire(\&self->queue/ktlb_exchange_relaxed(\&self->queue/
