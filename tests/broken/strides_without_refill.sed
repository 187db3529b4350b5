# src/ktlb_priv.h: the refill after a full flush costs nothing
# unit: cover and costs
/^static inline uint32_t ktlb_strides/,/^}/ s/ + costs\.refill//
