# src/ktlb_need.c: a spurious fault is not mended
# unit: need
# check: spurious-fault any
s/^\tktlb_shootdown_here(space, va);//
