# src/arch/x86_64/ktlb_arch/arch.h: the user's PCID is the next slot's
# unit: split in x86_64-split
s/^#define KTLB_X86_USER_PCID .*/#define KTLB_X86_USER_PCID ((uint64_t)1)/
