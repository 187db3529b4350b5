# src/ktlb_shootdown_ipi.c: full_flush_strides of a user's half is the default, whatever the kernel has set
# unit: protocol
s|^\tpages = plan_pages(pages, step_shift);|\tif (pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT) >= KTLB_ARCH_FULL_FLUSH_STRIDES)\n\t\tpages = 0;|
