# src/ktlb_calibrate.c: the refill is measured without a flush before it
# unit: cover in cover_one
s/ktlb_arch_flush_for_refill(ktlb_sys\.features);/;/
