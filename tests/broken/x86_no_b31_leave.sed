# src/ktlb_asid_percpu.c: a CPU leaves a set without release [B31]
# unit: protocol in x86_64-no_keep
/^void ktlb_mask_remove/,/^}/ s/ktlb_and_release(\(.*\), \(~.*\));/__atomic_fetch_and(\1, \2, __ATOMIC_RELAXED);/
