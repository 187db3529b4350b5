# src/ktlb_shootdown_ipi.c: a call is pushed without release [B28]
# unit: protocol
s/ktlb_cas_release(\&target->queue/ktlb_cas_relaxed(\&target->queue/
