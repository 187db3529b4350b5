# src/ktlb_shootdown_ipi.c: a CPU that goes offline leaves its queue open
# unit: hotplug; boot: fails
# check: cpu-offline any
s/ktlb_exchange_acquire(&self->queue, CLOSED)/ktlb_exchange_acquire(\&self->queue, (struct ktlb_call *)0)/
