# src/ktlb_shootdown_broadcast.c: entries of freed tables stay
# unit: flush
s/} else if (leaf_only) {/} else if (leaf_only || 1) {/
