# src/ktlb_switch_percpu.c: a CPU does not enter the set of the space that it loads
# unit: percpu and stress
# check: flush-first any
# retells: X03 a CPU is not in the set of what it loads
/^KTLB_INLINE void load_space/,/^}/ s/ktlb_mask_add(next, self->number);//
