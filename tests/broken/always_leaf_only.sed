# src/ktlb_shootdown_broadcast.c: entries of freed tables stay
# unit: flush
# check: kernel-two-flushers sc
# retells: X08 tables are freed after a flush of leaves
s/} else if (what == KTLB_WHAT_ALL_LEVELS) {/} else if (0) {/
