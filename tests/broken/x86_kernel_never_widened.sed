# src/ktlb_shootdown_ipi.c: a kernel range is flushed page by page however long it is
# unit: protocol
s|request\.pages = plan_pages(pages, step_shift);|;|
