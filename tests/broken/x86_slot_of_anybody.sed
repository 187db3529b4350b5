# src/ktlb_switch_percpu.c: the first slot in use is taken for that of the space, whosever it is
# check: flush-come any
# retells: C31 a comparison of ids that is always true
/^KTLB_INLINE struct ktlb_slot \*find_slot/,/^}/ s/slot->space_id == space->id/slot->space_id != 0/
