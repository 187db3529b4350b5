# src/ktlb_shootdown_ipi.c: of several ranges a CPU flushes the first
# boot: fails, unit: gather in x86_64-default
# check: gather-access any
s/i < request->spans; i++/i < 1; i++/
