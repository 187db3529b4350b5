# src/ktlb_gather.c: what is found empty is believed to be flushed
# unit: gather
# check: gathers-meet any
# retells: B03 an empty entry is believed to be flushed
s/^\tif (ktlb_load_acquire(&gather->space->gathers) == 1)/\tif (ktlb_load_acquire(\&gather->space->gathers) != 0)/
