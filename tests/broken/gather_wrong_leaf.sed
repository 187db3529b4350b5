# src/ktlb_gather.c: a range keeps the leaf size of what it began with
# unit: gather
s/^\t\trange->leaf_size = 0;/\t\t;/
