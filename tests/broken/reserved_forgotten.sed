# src/ktlb_asid_global.c: a CPU loses, at a second rollover, the number that it is about to run under
# unit: ids
/^static void roll_over/,/^}/ s/if (id != 0)/if (1)/
