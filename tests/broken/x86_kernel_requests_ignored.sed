# src/ktlb_shootdown_ipi.c: the handler knows requests of spaces alone
# check: kernel-flush any
# retells: S07 the kernel half is not served
/^static void perform/,/^}/ s/flush_kernel(request);/(void)flush_kernel;/
