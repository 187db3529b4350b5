# src/arch/x86_64/ktlb_arch/arch.h: INVPCID stays a feature when PCIDs are taken away
# unit: percpu
# retells: C27 a feature is used that is not there
/ktlb_arch_useful(uint32_t/,/^}/ s/return .*/return features;/
