# src/ktlb_shootdown_ipi.c: a flush leaves interrupts masked
# unit: percpu
/^KTLB_INLINE uint64_t send(struct/,/^}/ s/ktlb_port_irq_restore(irqs);/(void)irqs;/
# check: cpu-offline-kernel sc
# retells: S10 the state of interrupts is not restored
