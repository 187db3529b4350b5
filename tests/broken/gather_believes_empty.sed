# src/ktlb_gather.c: what is found empty is believed to be flushed
# unit: gather
s/^\tif (ktlb_load_acquire(&gather->space->gathers) == 1)/\tif (ktlb_load_acquire(\&gather->space->gathers) != 0)/
