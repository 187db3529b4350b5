# src/ktlb_switch_percpu.c: ktlb_loaded says yes to lazy CPUs, which are not told of changes
# unit: loaded
/^int ktlb_loaded/,/^}/ { s/!ktlb_load_relaxed(&self->lazy)/1/
s/slot->clean == ktlb_load_acquire(&space->generation)/1/
}
