# src/ktlb_shootdown_ipi.c: a silent CPU is reported at every look
# unit: watchdog in x86_64-watchdog
s/^	watch->reports++;/	watch->reports = 0;/
