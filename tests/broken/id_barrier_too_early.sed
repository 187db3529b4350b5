# src/ktlb_asid_global.c: the barrier comes before the id is published [B3]
# check: rollover-flush any
# retells: A11 the generation is seen before the id it stands for
/^uint64_t ktlb_ids_enter_slow/,/^}/ {
	/^\tktlb_arch_id_barrier();/d
	s/^\tid = ktlb_load_relaxed(&next->id);/\tktlb_arch_id_barrier();\n&/
}
