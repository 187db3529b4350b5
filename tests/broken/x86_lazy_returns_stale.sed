# src/ktlb_switch_percpu.c: what a lazy CPU has missed is not made up for
# boot: fails, unit: percpu and stress
/noinline.* return_from_lazy/,/^}/ s/if (slot->clean == generation)/if (1)/
