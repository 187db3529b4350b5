# src/ktlb_gather.c: what is beyond the ranges is forgotten
# unit: gather
s/^\t\tjoin(nearest(gather, start, last), start, last, leaf_size);/\t\t(void)nearest;/
