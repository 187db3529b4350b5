# src/ktlb_shootdown_ipi.c: a kernel range is flushed under the current PCID only
# unit: percpu and stress
/if (request->pages && ktlb_arch_kernel_by_page/{N;s/ktlb_arch_kernel_by_page([^)]*)/1/;}
# check: kernel-flush any
# retells: C35 a kernel page stays under the other PCIDs
