# src/ktlb_gather.c: pages come back before the flush is over
# unit: gather
s/^\tktlb_flush_wait(&gather->pending);//
