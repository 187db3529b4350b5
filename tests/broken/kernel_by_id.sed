# src/ktlb_shootdown_broadcast.c: a kernel range is invalidated under id 0 only
# unit: flush
# check: kernel-flush any
# retells: S25 global entries are not matched by id
s/invalidate(KTLB_SCOPE_KERNEL, 0,/invalidate(KTLB_SCOPE_ID, 0,/
