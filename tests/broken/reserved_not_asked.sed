# src/ktlb_asid_global.c: a space gets a new number although a CPU still runs it under its old one
# check: rollover-leaving sc
# retells: A10 a running space loses its id at a rollover
s/if (relabel_reserved(old, same_number) ||/if ((0 \&\& relabel_reserved(old, same_number)) ||/
