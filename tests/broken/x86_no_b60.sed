# src/ktlb_shootdown_ipi.c: the queue is closed without a fence before it [B60]
# unit: hotplug
# check: any any
/\[B60\] \*\//d
