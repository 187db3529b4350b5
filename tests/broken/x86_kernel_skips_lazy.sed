# src/ktlb_shootdown_ipi.c: a request for the kernel half does not reach lazy CPUs
# check: kernel-flush any
# retells: X21 a kernel flush filtered by what the user half is
/^static void perform/,/^}/ s/^\telse$/\telse if (!ktlb_load_relaxed(\&self->lazy))/
