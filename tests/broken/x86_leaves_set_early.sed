# src/ktlb_switch_percpu.c: a CPU leaves the set while the old root is still loaded
# unit: protocol in x86_64-no_keep
/^static void switch_space/,/^}/ {
	s/^\tktlb_arch_load_root(/\tif (!KTLB_CFG_OPT_KEEP_MASK_BIT \&\& last)\n\t\tktlb_mask_remove(last, self->number);\n&/
}
