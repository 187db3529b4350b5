# src/arch/arm64/ktlb_arch/arch.h: a CPU comes online with what its TLB held before
# unit: switch
# check: cpu-online sc
# retells: S18 nothing is flushed between the tables of start-up and the real ones
/^static inline void ktlb_arch_cpu_online/,/^}/ s/ktlb_arch_flush_own();//
