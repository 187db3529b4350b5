# src/ktlb_shootdown_broadcast.c: a destroyed space is not invalidated
# check: switch-barrier weak
# retells: B09 walks through what was freed
/^void ktlb_shootdown_dead_space/,/^}/ s/ktlb_shootdown_space(space);/(void)space;/
