# src/ktlb_shootdown_ipi.c: the generation is raised without release [B25]
# unit: protocol
s/ktlb_add_release(\&space->generation/ktlb_add_relaxed(\&space->generation/
