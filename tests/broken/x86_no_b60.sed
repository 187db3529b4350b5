# src/ktlb_shootdown_ipi.c: the queue is closed without a fence before it [B60]
# unit: hotplug
# check: cpu-offline-destroy weak
/\[B60\] \*\//d
