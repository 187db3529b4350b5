# src/ktlb_asid_global.c: a number that somebody has is reserved
# unit: kept
/^int ktlb_id_reserve/,/^}/ s/!has(ids.used, number) \&\&/1 \&\&/
