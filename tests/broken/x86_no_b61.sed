# src/ktlb_shootdown_ipi.c: a closed queue is believed without acquire [B61]
# unit: hotplug
# check: cpu-offline-destroy weak-c11
/\[B61\] \*\//d
