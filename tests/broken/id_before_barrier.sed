# src/ktlb_shootdown_broadcast.c: the id is read before the entry is visible
# unit: flush
# check: rollover-flush any
# retells: A01 the id is read before the entry is visible
/uint64_t id_to_flush/,/^}/ {
	s/^\tktlb_arch_changes_barrier();.*/\tuint64_t id = ktlb_load_relaxed(\&space->id);\n\n\tktlb_arch_changes_barrier();/
	s/return ktlb_load_relaxed(&space->id);/return id;/
}
