# src/ktlb_switch_percpu.c: a slot is clean before what is stale is gone, for an NMI to see
# unit: loaded
/^static .*void return_from_lazy/,/^}/ { /^\tslot->clean = generation;/d
s/^\tktlb_arch_load_root(next->root, slot->tag, 0);/\tslot->clean = generation;\n\tktlb_arch_load_root(next->root, slot->tag, 0);/
}
