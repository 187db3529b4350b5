# src/ktlb_switch_percpu.c: ktlb_loaded says yes on the way back from lazy mode
# unit: loaded
/^int ktlb_loaded/,/^}/ s/slot->clean == ktlb_load_acquire(&space->generation)/1/
