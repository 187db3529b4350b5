# src/ktlb_shootdown_ipi.c: a wait looks at the CPU where the thread is by now
# unit: gather in x86_64-default
s/^\twait_for(pending->from,/\twait_for(ktlb_cpu_self(),/
