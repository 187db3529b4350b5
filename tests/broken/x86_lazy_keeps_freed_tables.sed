# src/ktlb_shootdown_ipi.c: freed tables do not reach lazy CPUs
# unit: percpu and stress
s/return choose(self, space, tables .*/return (void)tables, choose(self, space, 0, targets);/
# check: lazy-tables any
# retells: M16, X09 a lazy CPU walks through freed tables
