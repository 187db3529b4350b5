# src/ktlb_span.h: a level hint although the leaves' sizes are not known
# unit: flush
s/span.what = KTLB_WHAT_LEAVES;/;/
