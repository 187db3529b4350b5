# src/ktlb_shootdown_ipi.c: full_flush_strides of the kernel's half is the default, whatever the kernel has set
# unit: protocol
s|request\.pages = plan_pages(pages, step_shift);|if (pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT) >= KTLB_ARCH_FULL_FLUSH_STRIDES)\n\t\trequest.pages = 0;|
