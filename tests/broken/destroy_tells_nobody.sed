# src/ktlb_space.c: a destroy does not ask lazy CPUs
# check: switch-barrier weak-c11
# retells: X14 an idle CPU keeps the root of what is destroyed
/^void ktlb_space_destroy/,/^}/ s/^\tktlb_shootdown_dead_space(space);//
