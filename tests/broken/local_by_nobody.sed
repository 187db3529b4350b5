# src/ktlb_shootdown_broadcast.c: a CPU that is not online takes itself for CPU 0
# unit: local in local
/^KTLB_INLINE struct reach reach_of/,/^}/ s/self->magic == KTLB_CPU_MAGIC \&\&/1 \&\&/
