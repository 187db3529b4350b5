# src/ktlb_switch_percpu.c: a CPU that goes offline keeps the root of the space
# unit: hotplug
# check: cpu-offline-destroy any
s/^	ktlb_leave_lazy_space(self);$/	ktlb_store_relaxed(\&self->loaded, (struct ktlb_space *)0);/
