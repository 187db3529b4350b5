# src/ktlb_shootdown_ipi.c: a flush looks up its CPU before interrupts are off
# check: two-moved-flushes sc
# retells: P01 the CPU's number is kept across a migration
/^static void flush_space/,/^}/ {
	s/^\tuint64_t irqs = ktlb_port_irq_save();/\tuint64_t irqs = (self = online_self(), ktlb_port_irq_save());/
	s/^\tself = online_self();//
}
