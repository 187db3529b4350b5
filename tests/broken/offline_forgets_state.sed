# src/ktlb_cpu.c: a CPU may come back with other memory than it left
# unit: cpus and hotplug
s/ktlb_ids_cpu_online(state, first)/ktlb_ids_cpu_online(state, 0)/
