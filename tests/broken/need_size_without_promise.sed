# src/arch/arm64/ktlb_arch/arch.h: FEAT_BBM alone makes a block a table
# unit: need
s/return supported \&\& (given & KTLB_GIVEN_SAME_TRANSLATION)/return supported/
