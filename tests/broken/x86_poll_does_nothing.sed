# src/ktlb_shootdown_ipi.c: ktlb_poll serves nobody
# check: holder-waits any
# retells: S02 a lock holder waits for a CPU that spins for the lock
/^void ktlb_poll/,/^}/ s/serve(ktlb_cpu_self());/;/
