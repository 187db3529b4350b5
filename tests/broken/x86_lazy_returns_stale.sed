# src/ktlb_switch_percpu.c: what a lazy CPU has missed is not made up for
# boot: fails, unit: percpu and stress
# check: lazy-flush any
# retells: M16 a lazy CPU returns without a look
/noinline.* return_from_lazy/,/^}/ s/if (slot->clean == generation)/if (1)/
