# src/ktlb_switch_global.c: a CPU that goes offline keeps the root of the space
# unit: cpus
# check: cpu-offline-reap any
/^struct ktlb_space \*ktlb_leave_space/,/^}/s/ktlb_enter_lazy();/;/
