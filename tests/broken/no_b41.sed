# src/ktlb_gather.c: without [B41]
# unit: gather in x86_64-default
# check: gathers-meet weak
s/^\tktlb_fence_acquire();.*//
s/ktlb_load_acquire(&\(gather->\|\)space->gathers)/ktlb_load_relaxed(\&\1space->gathers)/
