# src/arch/x86_64/ktlb_arch/arch.h: two slots share a PCID
# check: id-reuse any
# retells: C30 slots and PCIDs do not match one to one
/^static inline uint64_t ktlb_x86_pcid/,/^}/ s/return slot + 1;/return slot \/ 2 + 1;/
