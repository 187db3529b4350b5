# src/ktlb_switch_percpu.c: a switch that flushes forgets the user's id
# unit: split in x86_64-split
/^KTLB_INLINE void load_space/,/^}/ s/ktlb_empty_user_id_later(self, slot);//
