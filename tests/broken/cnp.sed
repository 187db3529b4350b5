# src/ktlb_space.c: a root with CnP set is taken
# unit: misuse
s/(root & KTLB_ARCH_ROOT_MUST_CLEAR) == 0/1/
