# src/ktlb_asid_global.c: a rollover is paid by one CPU
# check: id-reuse any
# retells: A19 a rollover that is flushed on one CPU
/^static void roll_over/,/^}/ s/ktlb_cpuset_copy(&ids.owes, &ktlb_online);/ktlb_cpuset_add(\&ids.owes, ktlb_cpu_self()->number);/
