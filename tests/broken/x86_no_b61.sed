# src/ktlb_shootdown_ipi.c: a closed queue is believed without acquire [B61]
# unit: hotplug
# check: any any
/\[B61\] \*\//d
