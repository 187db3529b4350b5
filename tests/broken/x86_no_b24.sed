# src/ktlb_switch_percpu.c: the generation is read without acquire [B24]
# unit: protocol
s/ktlb_load_acquire(&next->generation)/ktlb_load_relaxed(\&next->generation)/
