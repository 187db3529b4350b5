# src/arch/x86_64/ktlb_arch/arch.h: bit 63 of CR3 is set on a CPU that has no PCIDs
# unit: percpu
# check: cpu-offline-rollover sc
# retells: C27 a feature is used that is not there
/ktlb_arch_load_kernel_root/,/^}/ s/(features \& KTLB_FEATURE_PCID) != 0/1/
