# src/ktlb_shootdown_ipi.c: freed tables do not reach lazy CPUs
# unit: percpu and stress
s/\teverybody = tables.*/\teverybody = 0;\n\t(void)tables;/
