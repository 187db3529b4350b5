# src/ktlb_gather.c: the first of two gathers that ends ends both
# unit: gather
# check: three-gathers any
# retells: B04 one flag for several pending flushes
s/^\tktlb_add_release(&space->gathers, ~0u);/\tktlb_store_release(\&space->gathers, 0u);/
