# src/ktlb_asid_global.c: a destroyed space gives its number back at once
# check: recreate any
# retells: C33 an id is used again without a flush
/^void ktlb_ids_release/,/^}/ s/^\tktlb_store_relaxed(&space->id, (uint64_t)0);/\tids.used[KTLB_ID_NUMBER(space->id) \/ 64] \&= ~((uint64_t)1 << KTLB_ID_NUMBER(space->id) % 64);\n\tids.cursor = 1;\n&/
