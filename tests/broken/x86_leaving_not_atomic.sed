# src/ktlb_asid_percpu.c: a CPU leaves a set by a load and a store
# check: two-come sc no_keep
# retells: B04 a lost update
/^void ktlb_mask_remove/,/^}/ s/ktlb_and_release(\(&space->cpus.word\[[^,]*\]\), \(.*\));/ktlb_store_release(\1, ktlb_load_relaxed(\1) \& (\2));/
