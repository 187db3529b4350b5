# src/ktlb_shootdown_broadcast.c: no barrier between a change of the kernel half and its invalidation [B2]
# check: kernel-flush any
# retells: M12, R02 no barrier before the invalidation
/^void ktlb_shootdown_kernel_span/,/^}/ s/ktlb_arch_changes_barrier();//
