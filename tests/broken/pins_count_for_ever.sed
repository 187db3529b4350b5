# src/ktlb_asid_global.c: a number that is let go counts against the limit still
# unit: kept
/^static void let_go/,/^}/ s/ids.kept--;/;/
