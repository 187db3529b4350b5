# src/ktlb_span.h: a range ends one page early
# boot: fails, unit: flush
s/span.pages = (\(.*\)) + 1;/span.pages = \1;/
