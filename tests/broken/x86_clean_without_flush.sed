# src/ktlb_shootdown_ipi.c: a request that is caught up raises what the slot is clean up to, unflushed
# check: flush-access any
# retells: M6 clean without a flush
s/^\t\tif (number != 0 \&\& number <= slot->clean) {/\t\tslot->clean = number > slot->clean ? number : slot->clean;\n&/
