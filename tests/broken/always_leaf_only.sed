# src/ktlb_shootdown_broadcast.c: entries of freed tables stay
# unit: flush
s/} else if (what == KTLB_WHAT_ALL_LEVELS) {/} else if (0) {/
