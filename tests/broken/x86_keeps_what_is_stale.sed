# src/ktlb_switch_percpu.c: a slot is taken for clean whatever has changed
# unit: percpu and stress
# check: flush-come any
/^KTLB_INLINE void load_space/,/^}/ s/ktlb_likely(slot->clean == generation)/1/
