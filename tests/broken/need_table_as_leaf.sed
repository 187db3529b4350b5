# src/arch/arm64/ktlb_arch/arch.h: a table that goes is flushed like a leaf
# unit: need
s/? need | KTLB_NEED_TABLES/? need/
