# src/ktlb_shootdown_ipi.c: a flush is for this CPU alone
# boot: fails, unit: percpu and stress
# check: flush-access any
# retells: M11, X24 a local invalidation where others run the space
/^static int choose/,/^}/ s/ktlb_load_relaxed(&space->cpus.word\[i\])/(uint64_t)0/
