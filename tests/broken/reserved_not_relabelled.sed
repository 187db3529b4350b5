# src/ktlb_asid_global.c: who keeps an id since a rollover does not learn its new label
# check: two-rollovers any
# retells: A04 a reserved id is lost at the second rollover
/^static int relabel_reserved/,/^}/ s/^\t\t\tc->reserved = new_id;/\t\t\t;/
