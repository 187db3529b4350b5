# src/ktlb_span.h: a range ends one page early
# boot: fails, unit: flush
# check: flush-access any
# retells: C17 a range ends too early
s/span.pages = (\(.*\)) + 1;/span.pages = \1;/
