# src/ktlb_asid_global.c: after a rollover a CPU does not empty its TLB [B7]
# boot: hidden by QEMU, which empties a CPU's TLB whenever the ASID in a TTBR changes. unit: ids
# check: id-reuse any
# retells: A19 a rollover without a flush
/ktlb_arch_flush_own();/d
