# src/ktlb_switch_percpu.c: a switch that must flush writes the root with bit 63
# check: flush-come any
# retells: X17 a root register write that keeps what should go
/^KTLB_INLINE void load_space/,/^}/ s/slot->tag, 0)/slot->tag, 1)/
