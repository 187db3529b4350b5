# src/ktlb_shootdown_broadcast.c: the id is read before the entry is visible
# unit: flush
/uint64_t id_to_flush/,/^}/ {
	s/^\tktlb_arch_changes_barrier();.*/\tid = ktlb_load_relaxed(\&space->id);/
	t
	s/^\tid = ktlb_load_relaxed(&space->id);/\tktlb_arch_changes_barrier();/
}
