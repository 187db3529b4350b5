# src/ktlb_shootdown_broadcast.c: a level hint although tables may have been freed
# unit: flush
s/uint32_t level = leaf_only && (/uint32_t level = (/
