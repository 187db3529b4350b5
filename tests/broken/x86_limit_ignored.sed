# src/ktlb_shootdown_ipi.c: full_flush_strides of a user's half is the default, whatever the kernel has set
# unit: protocol
/^void ktlb_shootdown_span/,/^}/ s/ktlb_sys.full_flush_strides/KTLB_ARCH_FULL_FLUSH_STRIDES/
