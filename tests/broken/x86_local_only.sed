# src/ktlb_shootdown_ipi.c: a flush is for this CPU alone
# boot: fails, unit: percpu and stress
/^static int choose/,/^}/ s/ktlb_load_relaxed(&space->cpus.word\[i\])/(uint64_t)0/
