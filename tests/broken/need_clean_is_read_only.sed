# src/arch/arm64/ktlb_arch/arch.h: a page that the hardware may make writable counts as read-only
# unit: need
s/^\tif ((gone & KTLB_ARM64_DESC_DBM) .*/\tif (0)/
