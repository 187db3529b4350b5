# src/ktlb_errata.c: the first CPU speaks for all
# unit: look
s/cpu < count; cpu++/cpu < (count != 0); cpu++/
