# src/ktlb_shootdown_ipi.c: a flush of everything is taken for a range of no pages
# check: flush-access any
# retells: C22 the sentinel for everything is not known
s/^\tif (request->pages \&\& number == slot->clean + 1/\tif (number == slot->clean + 1/
