# src/ktlb_asid_global.c: a rollover keeps the new generation to itself
# check: id-reuse any
# retells: A17 a fast path that trusts an old id
/^static void roll_over/,/^}/ s/ktlb_store_relaxed(&ktlb_sys.generation, ids.generation);//
