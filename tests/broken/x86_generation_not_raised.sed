# src/ktlb_shootdown_ipi.c: a flush does not raise the generation
# check: flush-come any
# retells: X18 a change behind an unchanged tag
s/ktlb_add_release(&space->generation, (uint64_t)1) + 1;/ktlb_load_relaxed(\&space->generation) + 1;/
