# src/arch/x86_64/ktlb_arch/arch.h: INVPCID of everything leaves global entries
# check: kernel-flush any
# retells: S25 global entries are not matched
s/#define KTLB_X86_INVPCID_ALL     2u/#define KTLB_X86_INVPCID_ALL     3u/
