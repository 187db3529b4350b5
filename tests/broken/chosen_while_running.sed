# src/ktlb_asid_global.c: a space that runs under a number is given another
# unit: kept
s/if (id != 0 || number >=/if (number >=/
