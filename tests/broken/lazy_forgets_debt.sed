# src/ktlb_switch.c: lazy mode overwrites the 0 that stands for a debt
# unit: ids
/^void ktlb_enter_lazy/,/^}/ s/if (active != 0)/if (1)/
