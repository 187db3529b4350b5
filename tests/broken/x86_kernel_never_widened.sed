# src/ktlb_shootdown_ipi.c: a kernel range is flushed page by page however long it is
# unit: protocol
s/^\t\trequest\.pages = 0;/\t\trequest.pages = pages;/
