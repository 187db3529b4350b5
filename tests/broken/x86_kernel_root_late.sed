# src/ktlb_switch_percpu.c: a CPU leaves the set before it loads the kernel's root
# unit: protocol in x86_64-no_keep
# check: any any origin
# retells: M1, X13 the bits are cleared while the space is still loaded
/^static void load_kernel_root/,/^}/ {
	s/^\tktlb_arch_load_kernel_root(/\tif (!KTLB_CFG_OPT_KEEP_MASK_BIT)\n\t\tktlb_mask_remove(last, self->number);\n&/
}
