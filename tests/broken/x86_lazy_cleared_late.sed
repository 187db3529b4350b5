# src/ktlb_switch_percpu.c: the generation is read before lazy mode is left [B21]
# check: lazy-flush any
# retells: S19 the owed flush is looked for too early
/^static .*return_from_lazy/,/^}/ {
	/^\tktlb_store_relaxed(&self->lazy, (uint64_t)0);/d
	s/^\tgeneration = ktlb_load_acquire.*/&\n\tktlb_store_relaxed(\&self->lazy, (uint64_t)0);/
}
