# src/ktlb_switch_percpu.c: a CPU that goes offline leaves the set before the root
# unit: hotplug
# check: cpu-offline-destroy any
/^	ktlb_leave_lazy_space(self);$/{x;s/.*/	if (KTLB_CFG_OPT_KEEP_MASK_BIT)\n		ktlb_mask_remove(last, self->number);/;G;}
