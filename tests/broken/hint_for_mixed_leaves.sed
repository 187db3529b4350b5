# src/ktlb_span.h: a level hint although the leaves' sizes are not known
# unit: flush
# check: flush-access sc arm64-default
# retells: C05 a wrong level hint
s/span.what = KTLB_WHAT_LEAVES;/;/
