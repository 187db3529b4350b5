# src/ktlb_switch_percpu.c: a CPU enters the set when the root is loaded already
# unit: protocol
# check: flush-first any
# retells: X03 the bit is set after the root register is written
/^KTLB_INLINE void load_space/,/^}/ {
	s/^\t\tktlb_mask_add(next, self->number);//
	s/^\tself->loaded_slot = slot;/\tktlb_mask_add(next, self->number);\n&/
}
