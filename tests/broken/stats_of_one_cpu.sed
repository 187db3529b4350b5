# src/ktlb_stats.c: the busiest CPU is always CPU 0
# unit: look
s/			busiest = cpu;/			;/
