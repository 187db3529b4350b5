# src/ktlb_switch_global.c: the old root stays loaded while the allocator runs
# unit: kept in cnp
s/if (ktlb_arch_shares_entries(ktlb_sys.features))/if (0)/
