# src/ktlb_shootdown_ipi.c: an interrupt is sent if one is pending
# check: flush-access any
# retells: S06 the interrupt never comes
s/^\t\tif (!first) {/\t\tif (first) {/
