# src/ktlb_shootdown_broadcast.c: a level hint on a CPU that has no FEAT_TTL
# unit: flush
# check: cpu-offline-kernel sc
s/ || !(ktlb_sys.features & KTLB_FEATURE_TTL)//
