# src/ktlb_switch_percpu.c: a slot is given to another space with what is cached under it
# check: id-reuse any
# retells: C33 an id is used again without a flush
/^static struct ktlb_slot \*take_slot/,/^}/ s/^\tslot->clean = KTLB_NEVER_CLEAN;//
