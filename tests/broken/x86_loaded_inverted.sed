# src/ktlb_shootdown_ipi.c: the handler flushes if another space is loaded
# check: flush-access any
# retells: M18 an inverted "is it running"
/^static void flush_user/,/^}/ s/if (ktlb_load_relaxed(&self->loaded) != space) {/if (ktlb_load_relaxed(\&self->loaded) == space) {/
