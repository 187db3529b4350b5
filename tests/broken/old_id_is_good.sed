# src/ktlb_switch_global.c: the fast path takes ids of any generation
# check: id-reuse any
# retells: A17 a fast path that trusts an old id
s/KTLB_ID_GENERATION(id) != ktlb_load_relaxed(&ktlb_sys.generation)/id == 0/
