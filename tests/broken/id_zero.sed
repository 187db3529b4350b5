# src/ktlb_asid_global.c: id 0 is handed out after a rollover
# unit: ids
# check: id-reuse any
# retells: C30 a reserved id is handed out
s/^\tids.cursor = 1;/\tids.cursor = 0;/
/^static uint32_t find_free/,/^}/ s/taken |= 1;/taken |= 0;/
s/number == 0; number = find_free()/0; number = find_free()/
