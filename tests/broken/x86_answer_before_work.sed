# src/ktlb_shootdown_ipi.c: a request is answered before it is done
# unit: protocol and stress
/^KTLB_INLINE void answer/,/^}/ {
# check: flush-access any
# retells: M15 acknowledged before flushed, although tables may be freed
	s/^\t\tperform(self, request);//
	s/^\t\tktlb_store_release(&call->done.*/&\n\t\tperform(self, request);/
}
