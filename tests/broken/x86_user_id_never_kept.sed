# src/ktlb_switch_percpu.c: the user's id is emptied on each way out
# unit: split in x86_64-split
s/self->user_stale \&= ~bit;/;/
