# src/ktlb_shootdown_ipi.c: the watchdog names the CPU that waits
# unit: watchdog in x86_64-watchdog
s/\.cpu = cpu}/.cpu = from->number}/
