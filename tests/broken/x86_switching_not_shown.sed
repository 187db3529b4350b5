# src/ktlb_switch_percpu.c: a CPU does not show that it is between two roots
# unit: protocol and stress
# check: flush-come any
# retells: X01 a CPU that is switching is not interrupted
s/^\tktlb_store_relaxed(&self->loaded, KTLB_SWITCHING);//
