# src/ktlb_asid_percpu.c: the ids of spaces repeat
# check: cpu-offline-rollover sc
# retells: X18 another root under the same identity
s/ktlb_add_relaxed(&last_space_id, (uint64_t)1) + 1;/(ktlb_add_relaxed(\&last_space_id, (uint64_t)1) \& 1) + 1;/
