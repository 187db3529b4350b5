# src/ktlb_gather.c: a gather that freed tables flushes leaves alone
# unit: gather
# check: gather-access any arm64-default
# retells: C05 B09 leaf-only forms although a table was freed
s/uint32_t flags = gather->tables ? 0 : KTLB_LEAF_ONLY;/uint32_t flags = KTLB_LEAF_ONLY;/
