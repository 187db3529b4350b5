# src/ktlb_shootdown_ipi.c: a wait looks at the CPU where the thread is by now
# unit: gather in x86_64-default
# check: post-moved any
# retells: S12 P01 a CPU is held across a move
s/^\twait_for(pending->from,/\twait_for(ktlb_cpu_self(),/
