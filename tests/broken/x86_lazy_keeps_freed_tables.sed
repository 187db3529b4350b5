# src/ktlb_shootdown_ipi.c: freed tables do not reach lazy CPUs
# unit: percpu and stress
s/return choose(self, space, tables .*/return (void)tables, choose(self, space, 0, targets);/
