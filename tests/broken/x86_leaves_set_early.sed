# src/ktlb_switch_percpu.c: a CPU leaves the set while the old root is still loaded
# unit: protocol and stress in x86_64-no_keep
# check: flush-go any no_keep
# retells: M1, X03 the bit is cleared before the root register is written
/^KTLB_INLINE void load_space/,/^}/ {
	s/^\tgeneration = .*/\tif (!KTLB_CFG_OPT_KEEP_MASK_BIT \&\& last)\n\t\tktlb_mask_remove(last, self->number);\n&/
}
