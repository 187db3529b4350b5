# src/ktlb_flush.c: ktlb_publish has no barrier [B2]
# check: any any arm64-default
# retells: C39 an entry is added without a barrier
/^void ktlb_publish/,/^}/ {
	s/^\tktlb_arch_changes_barrier();//
	s/^\tktlb_arch_sync_barrier();//
}
