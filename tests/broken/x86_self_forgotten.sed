# src/ktlb_shootdown_ipi.c: a flush leaves this CPU out
# check: cpu-offline-kernel sc
# retells: S06 the sender has no part in its own request
s/^\tif (also_here)/\tif (also_here \&\& 0)/
