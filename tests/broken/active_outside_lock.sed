# src/ktlb_asid_global.c: `active` is stored when the lock is free again
# check: cpu-offline-rollover weak
# retells: A09 a rollover and a switch are not kept apart
/^uint64_t ktlb_ids_enter_slow/,/^}/ {
	/^\tunlock_ids();/d
	s/^\tktlb_store_relaxed(&self->active, id);/\tunlock_ids();\n&/
}
