# src/arch/x86_64/ktlb_arch/errata.h: a guest believes the microcode that it is shown
# unit: look
s/|| (cpu->id & KTLB_X86_HYPERVISOR)//
