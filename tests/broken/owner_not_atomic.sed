# src/ktlb_switch_global.c: of two CPUs that are the first one is forgotten
# unit: local in local
/enter_first(struct/,/^}/ s/if (!ktlb_cas_relaxed(&space->owner, &owner, me))/if (ktlb_load_relaxed(\&space->owner) == 0 ? (ktlb_cas_relaxed(\&space->owner, \&owner, me), ktlb_store_relaxed(\&space->owner, me), 0) : 1)/
