# src/ktlb_shootdown_ipi.c: a CPU that is asked for a space that it does not run leaves the set of the one that it runs
# unit: protocol and stress
# check: cpu-offline-kernel tso
# retells: M18 the set of a running CPU loses its bit
/^static void flush_user/,/^}/ s/ktlb_mask_remove(space,/ktlb_mask_remove(ktlb_load_relaxed(\&self->loaded),/
