# src/arch/arm64/ktlb_arch/arch.h: writing is forbidden without a flush
# boot: fails, unit: need
s/(come & (KTLB_ARM64_DESC_READ_ONLY | KTLB_ARM64_DESC_NO_EXEC))/(come \& KTLB_ARM64_DESC_NO_EXEC)/
