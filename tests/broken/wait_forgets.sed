# src/ktlb_shootdown_broadcast.c: a wait does not complete what was posted
# unit: gather
# check: post-wait any
# retells: R02 no DSB at the end
/^void ktlb_shootdown_wait/,/^}/ s/^\tktlb_arch_complete(.*//
