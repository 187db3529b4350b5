# src/ktlb_flush.c: an IOMMU is told what is left of the range after the flush
# unit: gather in secondary
/^void ktlb_flush_range/,/^}/ s/ktlb_tell_secondary(space, start, size, flags)/ktlb_tell_secondary(space, start + size, 0, flags)/
