# src/ktlb_asid_global.c: the audit does not look at the CPUs
# unit: ids
/^static const char \*audit_locked/,/^}/ s/if (id == 0)/if (1)/
