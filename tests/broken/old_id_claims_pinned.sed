# src/ktlb_asid_global.c: an old id is a claim to a number that another space has pinned
# unit: kept
# check: pinned-rollover any
s/ || space->keeps)/ || has(ids.pinned, KTLB_ID_NUMBER(old)))/
