# src/ktlb_shootdown_broadcast.c: a level hint although tables may have been freed
# unit: flush
/^void ktlb_shootdown_page/,/^}/ s/ktlb_arch_va_operand(va, number, 0)/ktlb_arch_va_operand(va, number, 3)/
