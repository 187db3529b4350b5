# src/ktlb_shootdown_ipi.c: of the calls that were taken one is served
# check: two-flushers-one-user any
# retells: S07 a part of what was asked is dropped
/^KTLB_INLINE void answer/,/^}/ s/^\t\tcall = next;/\t\tcall = next ? 0 : next;/
