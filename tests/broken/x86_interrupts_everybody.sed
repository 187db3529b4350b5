# src/ktlb_shootdown_ipi.c: a CPU whose interrupt is on its way gets another one
# unit: protocol
/^static void ask/,/^}/ s/^\t\tif (!first) {/\t\tif (1) {/
