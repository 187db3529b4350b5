# src/ktlb_gather.c: without [B40]
# unit: gather in x86_64-default
# check: gathers-meet weak
s/^\tktlb_fence_release();//
