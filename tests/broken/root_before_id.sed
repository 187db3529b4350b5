# src/arch/arm64/ktlb_arch/arch.h: the root is loaded before its id
# check: any any ttbr1
# retells: B12 a root under the id of another space
/^static inline void ktlb_arch_load_root/,/^}/ {
	s/^\t\tktlb_insn_write_ttbr0(kernel_root);/\t\tktlb_insn_write_ttbr0(root);/
}
