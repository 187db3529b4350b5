# src/ktlb_asid_percpu.c: a CPU enters a set by a load and a store
# check: two-come weak
# retells: B04 a lost update
/^void ktlb_mask_add/,/^}/ s/ktlb_or_relaxed(\(&space->cpus.word\[[^,]*\]\), \(.*\));/ktlb_store_relaxed(\1, ktlb_load_relaxed(\1) | (\2));/
