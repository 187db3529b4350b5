# src/ktlb_shootdown_ipi.c: no interrupt for anybody when one queue was not empty
# unit: protocol
# check: cpu-offline-kernel tso
# retells: S06 the interrupt never comes
/^static void ask/,/^}/ { s/interrupts = 0;/interrupts = 1;/; s/^\t\t\tinterrupts = 1;//; s/^\t\tktlb_count(KTLB_COUNT_REQUEST);/\t\tif (first)\n\t\t\tinterrupts = 0;\n&/; }
