# src/ktlb_shootdown_ipi.c: a request is answered without release [B29]
# unit: protocol
s/ktlb_store_release(\&call->done/ktlb_store_relaxed(\&call->done/
