# src/ktlb_switch_global.c: an id is exchanged into `active`, although a rollover has been here
# unit: ids
# check: double-rollover weak-c11
# retells: A02 an exchange puts an old id back
s/ktlb_cas_relaxed(&self->active, &active, id)/ktlb_exchange_relaxed(\&self->active, id)/
