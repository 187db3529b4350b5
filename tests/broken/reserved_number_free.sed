# src/ktlb_asid_global.c: the number of what runs is free for others
# check: id-reuse any
# retells: A10 a running space loses its id at a rollover
/^static void roll_over/,/^}/ s/^\t\t\tadd(ids.used, KTLB_ID_NUMBER(c->reserved));/\t\t\t;/
