# src/ktlb_shootdown_ipi.c: a CPU that goes offline forgets what it was asked
# unit: hotplug
# check: cpu-offline any
/^void ktlb_requests_close/,/^}/s/if (is_list(call))/if (0)/
