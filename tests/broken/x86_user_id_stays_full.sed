# src/ktlb_shootdown_ipi.c: a full flush forgets the user's id
# unit: split in x86_64-split
/^static void flush_user/,/^}/ s/ktlb_empty_user_id_later(self, slot);//
