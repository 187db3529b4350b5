# src/arch/arm64/ktlb_arch/arch.h: what is allowed from now on is not published
# unit: need
s/? need | KTLB_NEED_PUBLISH/? need/
