# src/ktlb_asid_percpu.c: a CPU that comes back takes no requests
# unit: hotplug; boot: fails
# check: cpu-offline any
s/^	ktlb_requests_open(self);//
