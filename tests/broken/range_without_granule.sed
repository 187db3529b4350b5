# src/arch/arm64/ktlb_arch/arch.h: a range operand does not say the granule
# check: flush-access any
# retells: C03 a range operand for another granule
s/return id << 48 | ktlb_arm64_granule_code(page_shift) << 46/return id << 48/
