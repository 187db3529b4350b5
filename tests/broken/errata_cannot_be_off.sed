# src/ktlb_cpu.c: an erratum that was found is always worked around
# unit: errata and look
s/config->errata & ~config->without_errata/config->errata/
