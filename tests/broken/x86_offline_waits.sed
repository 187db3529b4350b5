# src/ktlb_shootdown_ipi.c: who finds a queue closed waits for an answer all the same
# unit: hotplug
# check: cpu-offline any
/^static void not_online/,/^}/s/^	ktlb_store_release(&call->done.*//
