# src/ktlb_shootdown_ipi.c: an answer is waited for by plain reads
# check: flush-access any
# retells: S09 a flag between CPUs that is a plain variable
/^static void wait_for/,/^}/ s/ktlb_load_acquire(&from->call\[cpu\]\.done)/from->call[cpu].done/
