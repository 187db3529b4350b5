# src/ktlb_asid_percpu.c: a CPU that goes offline keeps its slots
# unit: hotplug
/^void ktlb_ids_cpu_offline/,/^}/s/slot < KTLB_SLOTS/slot < 0/
