# src/ktlb_span.h: a flush that says nothing is taken for one of leaves
# check: flush-access any
# retells: X08 tables are freed after a flush of leaves
s/span.what = flags \& KTLB_LEAF_ONLY ? KTLB_WHAT_LEAVES_OF_LEVEL : KTLB_WHAT_ALL_LEVELS;/span.what = KTLB_WHAT_LEAVES_OF_LEVEL;/
