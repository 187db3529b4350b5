# src/ktlb_shootdown_ipi.c: a CPU that is asked for a space that it does not run stays in its set
# unit: protocol
/^static void flush_user/,/^}/ s/ktlb_mask_remove(space, self->number);/(void)0;/
