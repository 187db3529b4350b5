# src/ktlb_switch_global.c: a switch reads the id before its barrier [B1]
# unit: switch
/^void ktlb_switch/,/^}/ {
	/ktlb_arch_switch_barrier();/d
	s/^\tactive = ktlb_load_relaxed(&self->active);/\tktlb_arch_switch_barrier();\n&/
}
