# src/ktlb_switch_global.c: lazy mode stores into `active`, although a rollover has been here
# unit: ids
# check: rollover-lazy sc
# retells: A02 an exchange puts an old id back
/^void ktlb_enter_lazy/,/^}/ s/ktlb_cas_relaxed(&self->active, &active, KTLB_ID_LAZY)/ktlb_store_relaxed(\&self->active, KTLB_ID_LAZY)/
