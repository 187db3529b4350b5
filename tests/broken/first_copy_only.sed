# src/ktlb_asid_global.c: one reserved copy of an id is relabelled, not all
# unit: ids
# check: two-rollovers any
# retells: M8 one reserved copy is relabelled
/^static int relabel_reserved/,/^}/ s/found = 1;/return 1;/
