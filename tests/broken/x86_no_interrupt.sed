# src/ktlb_shootdown_ipi.c: nobody is interrupted
# boot: fails, unit: percpu and stress
# check: flush-access any
# retells: S06 the interrupt never comes
s/^\tif (interrupts)/\tif (interrupts \&\& 0)/
