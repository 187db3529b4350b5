# src/ktlb_shootdown_ipi.c: nobody is interrupted
# boot: fails, unit: percpu and stress
s/^\tif (interrupts)/\tif (interrupts \&\& 0)/
