# src/ktlb_cpu.c: a CPU comes online with what its TLB held before
# unit: switch
/ktlb_arch_flush_own();/d
