# src/ktlb_switch_global.c: lazy mode says that no space is loaded while its root still is
# unit: switch
# retells: X16 what software says and the register differ
/^void ktlb_enter_lazy/,/^}/ {
	/ktlb_store_relaxed(&self->loaded/d
	s/^\tktlb_arch_load_kernel_root/\tktlb_store_relaxed(\&self->loaded, (struct ktlb_space *)0);\n&/
}
