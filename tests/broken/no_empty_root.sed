# src/arch/arm64/ktlb_arch/arch.h: the id changes while a root is loaded
# check: any any ttbr1
# retells: A19 no empty root in between
/^static inline void ktlb_arch_load_root/,/^}/ {
	s/^\t\tktlb_insn_write_ttbr0(kernel_root);/\t\t(void)kernel_root;/
}
