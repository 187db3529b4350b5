# src/ktlb_shootdown_ipi.c: after a flush the slot is clean up to the request, not up to what was read
# equivalent: a slot that is thought less clean than it is, is flushed once more
# retells: M6 the number of the request is stored
s/^\tslot->clean = generation;/\tslot->clean = number != 0 ? number : generation;/
