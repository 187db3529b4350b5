# src/ktlb_switch_percpu.c: a slot does not learn whose it is
# check: id-reuse any
# retells: C34 a fresh id is not recorded
/^static struct ktlb_slot \*take_slot/,/^}/ s/^\tslot->space_id = space->id;//
