# src/ktlb_shootdown_broadcast.c: the thread may be moved between the decision and the invalidation
# unit: local in local
/^KTLB_INLINE struct reach reach_of/,/^}/ s/^\tif (reach\.here)$/\tktlb_port_irq_restore(reach.irqs);\n\tif (reach.here)/
