# src/ktlb_shootdown_ipi.c: the next call is read when this one is its owner's again
# unit: protocol
/^KTLB_INLINE void answer/,/^}/ {
# check: kernel-two-flushers weak
# retells: S27 a request does not outlive its last answer
	s/\*next = ktlb_load_relaxed(&call->next);/*next;/
	s/^\t\tcall = next;/\t\tnext = ktlb_load_relaxed(\&call->next);\n&/
}
