# src/ktlb_switch_percpu.c: `loaded` says the kernel before its root is written
# retells: X16 what software says and the register differ
/^static void load_kernel_root/,/^}/ {
	/^\tktlb_store_release(&self->loaded/d
	s/^\tktlb_arch_load_kernel_root/\tktlb_store_release(\&self->loaded, (struct ktlb_space *)0);\n&/
}
