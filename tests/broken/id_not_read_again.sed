# src/ktlb_asid_global.c: the id is not read again under the lock
# check: pinned-rollover weak-c11
# retells: A06 an id that is not checked again under the lock
/^uint64_t ktlb_ids_enter_slow/,/^}/ {
	/^\tid = ktlb_load_relaxed(&next->id);/d
	s/^\tlock_ids();/\tid = ktlb_load_relaxed(\&next->id);\n&/
}
