# src/ktlb_switch_global.c: lazy mode overwrites the 0 that stands for a debt
# unit: ids
# check: rollover-lazy sc
# retells: A04 a CPU that owes a flush forgets it
/^void ktlb_enter_lazy/,/^}/ s/if (active != 0)/if (1)/
