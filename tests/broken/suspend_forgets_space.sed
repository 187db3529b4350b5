# src/ktlb_cpu.c: what was loaded before a sleep is not loaded after it
# unit: cpus and hotplug
s/^	if (from->space)$/	if (0)/
