# src/ktlb_asid_global.c: a rollover leaves no debts
# check: id-reuse any
# retells: A19 a rollover without a flush
/^static void roll_over/,/^}/ s/ktlb_cpuset_copy(&ids.owes, &ktlb_online);//
