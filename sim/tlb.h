/* SPDX-License-Identifier: MIT */
/*
 * Between tlb.c, which knows what may be cached, and cpu_*.c, which know what instructions mean.
 */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include <stdint.h>

/* What an invalidation must remove. It may remove more in reality; here it never does. */
struct tlb_op {
	int any_id;  /* under every id; or only */
	unsigned id; /* under this one */
	int globals; /* and what is global */
	int by_address;
	uint64_t first,
		last;      /* bytes; last is the range's last one, so that the top can be named */
	int pages, blocks; /* by address: leaves of which level */
	enum tlb_uppers {
		TLB_UPPERS_NONE,
		TLB_UPPERS_COVERING, /* what is on the way to these addresses */
		TLB_UPPERS_ALL,      /* all under the id, whatever the address */
	} uppers;
};

/* Under what a CPU's walker may walk at this moment, oldest first. A change fills the TLB. */
struct tlb_context {
	uint64_t root;
	unsigned id;
};
#define TLB_CONTEXTS 16
void tlb_context_none(uint32_t cpu);
void tlb_context_add(uint32_t cpu, uint64_t root, unsigned id);
unsigned tlb_contexts(uint32_t cpu, struct tlb_context contexts[TLB_CONTEXTS]);
/* Are entries with PTE_GLOBAL cached as global ones? */
void tlb_set_globals(uint32_t cpu, int on);

/* Done at once, on this CPU. */
void tlb_invalidate(uint32_t cpu, const struct tlb_op *op);
/*
 * Begun by `issuer`: on all CPUs, or if `local` on its own one; done, at the latest, by the
 * tlb_complete of the same issuer and kind. In between the old entries may be there, and what
 * is filled may stay.
 */
void tlb_issue(uint32_t issuer, int local, const struct tlb_op *op);
void tlb_complete(uint32_t issuer, int local);
void tlb_complete_by(uint32_t who, uint32_t issuer,
                     int local);      /* by another CPU's DSB: an erratum */
int tlb_outstanding(uint32_t issuer); /* has it begun broadcast ones that are not complete? */
/* arm64: a context synchronisation. What the CPU had begun to use before it completed its own
 * invalidations it uses no more. */
void tlb_synchronised(uint32_t cpu);

/* arm64: two versions of a valid entry may not be cached at the same time if they conflict. */
extern int tlb_break_before_make;

#endif /* SIM_TLB_H */
