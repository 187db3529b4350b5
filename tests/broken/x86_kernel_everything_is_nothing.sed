# src/ktlb_shootdown_ipi.c: a flush of all of the kernel half is taken for a range of no pages
# check: kernel-flush any
# retells: C22 the sentinel for everything is not known
/^static void flush_kernel/,/^}/ {
	s/^\tif (request->pages && ktlb_arch_kernel_by_page(ktlb_sys.features, ktlb_sys.errata,/\tif (ktlb_arch_kernel_by_page(ktlb_sys.features, ktlb_sys.errata,/
	s/request->what == KTLB_WHAT_ALL_LEVELS)) {/request->what == KTLB_WHAT_ALL_LEVELS) || !request->pages) {/
}
