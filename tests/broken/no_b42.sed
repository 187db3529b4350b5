# src/ktlb_gather.c: without [B42]
# unit: gather in x86_64-default
# check: gather-over weak
s/^\tktlb_add_release(&space->gathers/\tktlb_add_relaxed(\&space->gathers/
