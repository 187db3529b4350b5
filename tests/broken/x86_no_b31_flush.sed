# src/ktlb_shootdown_ipi.c: a flush returns without the fence after its choice [B31]
# unit: protocol
/^static int choose/,/^}/ s/^\tktlb_fence_acquire();//
