# src/ktlb_asid_global.c: the search runs off the end of the numbers
# unit: ids
# check: id-reuse any
# retells: M17 a search runs off the end of the numbers
/^static uint32_t find_free/,/^}/ s/return number < ktlb_sys.id_limit ? number : 0;/return number;/
