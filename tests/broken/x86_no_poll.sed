# src/ktlb_shootdown_ipi.c: a CPU that waits for answers gives none
# unit: protocol
/^static void wait_for/,/^}/ s/ktlb_poll();//
