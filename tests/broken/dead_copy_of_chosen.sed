# src/ktlb_asid_global.c: a CPU keeps the number of a space that has ended, which another one has chosen
# unit: kept
/^void ktlb_ids_release/,/^}/ s/c->reserved = 0;/;/
