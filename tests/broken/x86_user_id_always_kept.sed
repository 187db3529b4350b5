# src/ktlb_switch_percpu.c: the way out empties nothing
# unit: split in x86_64-split
s/keep = !(self->user_stale \& bit);/keep = 1;/
