# src/ktlb_shootdown_ipi.c: the watchdog interrupts the CPU that it runs on
# unit: watchdog in x86_64-watchdog
s/if (ktlb_cpu_self()->number != cpu) {/if (1) {/
