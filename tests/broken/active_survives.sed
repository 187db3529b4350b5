# src/ktlb_asid_global.c: a rollover does not take the ids away
# check: id-reuse any
# retells: A09 running CPUs are not told of a rollover
s/uint64_t id = ktlb_exchange_acquire(&c->active, (uint64_t)0);/uint64_t id = ktlb_load_relaxed(\&c->active);/
