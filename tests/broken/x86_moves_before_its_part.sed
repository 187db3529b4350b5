# src/ktlb_shootdown_ipi.c: interrupts come back before this CPU has done its part
# check: moved-flush any
# retells: S12 moved between the local and the remote half
/^KTLB_INLINE uint64_t send/,/^}/ {
	s/^\tif (also_here)/\tktlb_port_irq_restore(irqs);\n&/
	/^\tktlb_port_irq_restore(irqs);$/d
}
