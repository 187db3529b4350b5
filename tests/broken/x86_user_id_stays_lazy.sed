# src/ktlb_switch_percpu.c: a return from lazy mode that flushes forgets the user's id
# unit: split in x86_64-split
/^static .*void return_from_lazy/,/^}/ s/ktlb_empty_user_id_later(self, slot);//
