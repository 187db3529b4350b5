# src/ktlb_shootdown_ipi.c: a silent CPU is not interrupted again
# unit: watchdog in x86_64-watchdog
s/^	interrupt_again(cpu);//
