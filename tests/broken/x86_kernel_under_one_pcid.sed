# src/ktlb_shootdown_ipi.c: a kernel range is flushed under the current PCID only
# unit: percpu and stress
s/ktlb_arch_kernel_by_page(ktlb_sys.features, request->what == KTLB_WHAT_ALL_LEVELS)/1/
