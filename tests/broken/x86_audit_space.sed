# src/ktlb_asid_percpu.c: the audit does not see no space
# unit: protocol
s/return "ktlb_audit: what is loaded is no space.*/return 0;/
