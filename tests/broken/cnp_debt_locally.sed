# src/ktlb_asid_global.c: CPUs that share entries pay their debts one by one
# unit: kept in cnp
/^static void pay_debt/,/^}/ s/if (ktlb_arch_shares_entries(ktlb_sys.features))/if (0)/
