# src/ktlb_shootdown_broadcast.c: a kernel range is invalidated under id 0 only
# unit: flush
s/invalidate(KTLB_SCOPE_KERNEL, 0,/invalidate(KTLB_SCOPE_ID, 0,/
