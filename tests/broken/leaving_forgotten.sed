# src/ktlb_asid_global.c: a rollover gives away the number of a space that a CPU is leaving
# unit: ids
# check: rollover-leaving weak
s/c->leaving = leaving_id(c);/c->leaving = 0;/
