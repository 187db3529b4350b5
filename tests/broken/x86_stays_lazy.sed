# src/ktlb_switch_percpu.c: a switch to another space leaves the CPU lazy
# unit: protocol and stress
/^KTLB_INLINE void load_space/,/^}/ s/^\t\tktlb_store_relaxed(&self->lazy, (uint64_t)0);/\t\t(void)0;/
# check: lazy-between any
# retells: M16 a lazy CPU is passed over although it runs
