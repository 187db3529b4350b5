# src/arch/x86_64/ktlb_arch/arch.h: the first slot uses the kernel's PCID
# unit: percpu
# check: cpu-offline-kernel sc
# retells: C30 a reserved id is handed out
/ktlb_x86_pcid/,/^}/ s/return slot + 1;/return slot;/
