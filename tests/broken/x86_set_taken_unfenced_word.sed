# src/ktlb_shootdown_ipi.c: only the first word of a set is looked at
# check: seventy-cpus any cpus_70
# retells: C19 a set that is too small
/^static int choose/,/^}/ s/i < KTLB_CPUSET_WORDS; i++)/i < 1; i++)/
