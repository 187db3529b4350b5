# src/arch/x86_64/ktlb_arch/arch.h: INVPCID stays a feature when PCIDs are taken away
# unit: percpu
/ktlb_arch_useful(uint32_t/,/^}/ s/return .*/return features;/
