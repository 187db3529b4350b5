# src/ktlb_switch_percpu.c: a CPU enters the set when the root is loaded already
# unit: protocol
/^KTLB_INLINE void load_space/,/^}/ {
	s/^\t\tktlb_mask_add(next, self->number);//
	s/^\tself->loaded_slot = slot;/\tktlb_mask_add(next, self->number);\n&/
}
