# src/ktlb_asid_global.c: two spaces choose one number
# unit: kept
/^static int keep/,/^}/ { s/set_aside, number) ||/set_aside, number))/
/has(ids.pinned, number))/d
}
