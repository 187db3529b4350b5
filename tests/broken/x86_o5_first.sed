# src/ktlb_shootdown_ipi.c: the early answer comes before anything else, and 0 counts as old
# check: destroy-lazy any
# retells: X06 a request without a generation is taken for an old one
/^static void flush_user/,/^}/ s/^\tif (ktlb_load_relaxed(&self->loaded) != space) {/\tif (KTLB_CFG_OPT_EARLY_OUT \&\& number <= slot->clean)\n\t\treturn;\n&/
