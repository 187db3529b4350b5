# src/ktlb_switch_percpu.c: the slot in use is not noted
# check: cpu-offline-rollover sc
# retells: C34 a fresh id is not recorded
/^KTLB_INLINE void load_space/,/^}/ s/^\tself->loaded_slot = slot;//
