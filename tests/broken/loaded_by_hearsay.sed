# src/ktlb_switch_global.c: ktlb_loaded asks what is noted, not the register
# unit: switch
s/ktlb_arch_root_is_loaded(space->root)/ktlb_cpu_self()->loaded == space/
