# src/ktlb_cpu.c: the erratum is not worked around
# unit: flush
s/ktlb_sys.repeat_tlbi = ktlb_sys.errata & KTLB_ERRATUM_REPEAT_TLBI;/ktlb_sys.repeat_tlbi = 0;/
# check: any any arm64-default
# retells: H02 an erratum that is not worked around
