# src/ktlb_gather.c: tables that a gather freed do not reach lazy CPUs
# unit: gather in x86_64-default
# retells: X09 B09 freed tables do not reach lazy CPUs
s/ktlb_shootdown_post(pending, gather->tables != 0);/ktlb_shootdown_post(pending, 0);/
