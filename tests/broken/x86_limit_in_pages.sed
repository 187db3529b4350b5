# src/ktlb_shootdown_ipi.c: full_flush_strides counts pages, not leaves
# unit: protocol
/^static uint64_t plan_pages/,/^}/ s/pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT)/pages/
