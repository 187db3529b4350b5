# src/arch/arm64/ktlb_arch/arch.h: the count of 2^21 pages loses its top bit
# unit: operands
s/uint64_t steps = pages >> (5 \* scale + 1);/uint64_t steps = (pages >> (5 * scale + 1) \& 31) + (pages < 2);/
