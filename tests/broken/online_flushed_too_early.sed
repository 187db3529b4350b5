# src/arch/arm64/ktlb_arch/arch.h: a CPU comes online with what was cached before the root changed
# check: cpu-online sc
# retells: S18 nothing is flushed between the tables of start-up and the real ones
/^static inline void ktlb_arch_cpu_online/,/^}/ {
	/ktlb_arch_flush_own();/d
	s/^\tktlb_arch_load_kernel_root/\tktlb_arch_flush_own();\n&/
}
