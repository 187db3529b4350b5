# src/ktlb_gather.c: pages come back before the flush is over
# unit: gather
# check: gather-access any
# retells: B01 freed before the flush is over
s/^\tktlb_flush_wait(&gather->pending);//
