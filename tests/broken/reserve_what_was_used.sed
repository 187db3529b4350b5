# src/ktlb_asid_global.c: a number that TLBs may know is reserved
# unit: kept
/^int ktlb_id_reserve/,/^}/ s/ids.generation == KTLB_GENERATION_STEP \&\&/1 \&\&/
