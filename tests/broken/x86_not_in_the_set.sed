# src/ktlb_switch_percpu.c: a CPU does not enter the set of the space that it loads
# unit: percpu
/^static void switch_space/,/^}/ s/ktlb_mask_add(next, self->number);//
