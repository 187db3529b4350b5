# src/ktlb_shootdown_ipi.c: an interrupt that comes late opens the queue
# unit: hotplug
s/^		ktlb_requests_close(self); .*/		return;/
