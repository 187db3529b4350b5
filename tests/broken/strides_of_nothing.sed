# src/ktlb_priv.h: one page may be flushed by a flush of everything
# unit: cover and costs
/^static inline uint32_t ktlb_strides/,/^}/ s/strides < 2 ? 2/strides < 1 ? 1/
