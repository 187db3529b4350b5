# src/ktlb_gather.c: a gather that freed tables flushes leaves alone
# unit: gather
s/uint32_t flags = gather->tables ? 0 : KTLB_LEAF_ONLY;/uint32_t flags = KTLB_LEAF_ONLY;/
