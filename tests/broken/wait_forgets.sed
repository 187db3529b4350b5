# src/ktlb_shootdown_broadcast.c: a wait does not complete what was posted
# unit: gather
/^void ktlb_shootdown_wait/,/^}/ s/^\tktlb_arch_complete(.*//
