# src/ktlb_switch_percpu.c: the generation is read before the switch is announced
# check: flush-come any
# retells: X02 the announcement comes after the load
/^KTLB_INLINE void load_space/,/^}/ {
	s/^\tktlb_store_relaxed(&self->loaded, KTLB_SWITCHING);/\tgeneration = ktlb_load_acquire(\&next->generation);\n&/
	/^\tgeneration = ktlb_load_acquire(&next->generation);$/d
}
