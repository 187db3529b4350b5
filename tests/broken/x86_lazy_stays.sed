# src/ktlb_shootdown_ipi.c: a lazy CPU keeps the root when it is asked
# check: destroy-lazy any
# retells: X14 an idle CPU keeps the root of what is destroyed
/^static void flush_user/,/^}/ s/if (ktlb_load_relaxed(&self->lazy)) {/if (0) {/
