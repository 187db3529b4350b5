# src/ktlb_switch_percpu.c: loaded is written without release [B23]
# unit: protocol
s/ktlb_store_release(&self->loaded, next)/ktlb_store_relaxed(\&self->loaded, next)/
