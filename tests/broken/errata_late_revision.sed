# src/arch/arm64/ktlb_arch/errata.h: a revision that is mended counts as affected
# unit: errata
s/revision <= erratum->last/1/
