# src/ktlb_asid_global.c: a number that somebody has is handed out with the old id
# unit: ids
/^static uint64_t new_id/,/^}/ s/if (!has(ids.used, KTLB_ID_NUMBER(old)))/if (1)/
# check: id-reuse any
# retells: C33 an id is used again without a flush
