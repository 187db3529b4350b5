# src/ktlb_switch_percpu.c: no fence between loaded and the generation [B20]
# unit: protocol
s/^\t\tktlb_fence_full(); \/\* \[B20\] \*\//\t\t;/
