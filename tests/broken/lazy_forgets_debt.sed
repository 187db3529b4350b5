# src/ktlb_switch_global.c: lazy mode overwrites the 0 that stands for a debt
# unit: ids
/^void ktlb_enter_lazy/,/^}/ s/if (active != 0)/if (1)/
