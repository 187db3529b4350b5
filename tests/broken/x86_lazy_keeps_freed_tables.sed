# src/ktlb_shootdown_ipi.c: freed tables do not reach lazy CPUs
# unit: percpu and stress
s/int everybody =.*/int everybody = 0;/
/^\t\t\t.*TRIM_EVERY == 0;/d
