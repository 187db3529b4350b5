# src/arch/x86_64/ktlb_arch/arch.h: INVPCID of one PCID instead of all
# check: kernel-flush any
# retells: C35 a kernel page stays under the other PCIDs
s/#define KTLB_X86_INVPCID_ALL     2u/#define KTLB_X86_INVPCID_ALL     1u/
