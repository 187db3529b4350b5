# src/ktlb_shootdown_ipi.c: an answer is read without acquire [B30]
# unit: protocol
s/ktlb_load_acquire(\&from->call\[cpu\].done)/ktlb_load_relaxed(\&from->call[cpu].done)/
