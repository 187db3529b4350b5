# src/ktlb_switch_percpu.c: a CPU does not enter the set of the space that it loads
# unit: percpu and stress
/^KTLB_INLINE void load_space/,/^}/ s/ktlb_mask_add(next, self->number);//
