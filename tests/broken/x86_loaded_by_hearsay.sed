# src/ktlb_switch_percpu.c: ktlb_loaded does not look at CR3
# unit: loaded
/^int ktlb_loaded/,/^}/ s/ktlb_arch_root_is(space->root, slot->tag)/1/
