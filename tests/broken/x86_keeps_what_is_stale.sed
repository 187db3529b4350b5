# src/ktlb_switch_percpu.c: a slot is taken for clean whatever has changed
# unit: percpu
s/keep = slot < slots \&\& self->slot\[slot\].clean == generation;/keep = slot < slots;/
