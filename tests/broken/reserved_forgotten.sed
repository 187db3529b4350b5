# src/ktlb_asid_global.c: a CPU loses, at a second rollover, the number that it is about to run under
# unit: ids
# check: two-rollovers any
# retells: A04 a reserved id is lost at the second rollover
/^static void roll_over/,/^}/ s/if (id != 0)/if (1)/
