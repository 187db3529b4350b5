# src/ktlb_shootdown_broadcast.c: whoever flushes a space that has run on one CPU takes itself for that CPU
# unit: local in local
# check: flush-from-outside any local
/^KTLB_INLINE struct reach reach_of/,/^}/ s/ktlb_load_relaxed(&space->owner) == (uint64_t)self->number + 1/ktlb_load_relaxed(\&space->owner) != KTLB_OWNED_BY_ALL/
