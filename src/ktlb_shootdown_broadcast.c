/* SPDX-License-Identifier: MIT */
/*
 * Shootdown where the hardware tells the other CPUs: every invalidation is broadcast.
 *
 *   1. the caller has written the entries
 *   2. [B2]  they are visible to every walker
 *   3. only then the id of the space is read, or it might be one that a rollover has replaced
 *   4. the invalidations, by leaf, by range, or of everything under the id
 *   5. [B4]  one wait for all of them
 *   6. [B5]  for the kernel's half only
 *
 * An id that is stale by step 4 is harmless: if the space got a new one after step 3, whoever gave
 * it did so before loading the root under it, with [B3] in between, and so its walks see step 1;
 * and no TLB holds anything under a new id (A4 in ktlb_asid_global.c).
 *
 *     CPU 0 flushes space S                  CPU 1 switches to S, slow path
 *     entry := new
 *     [B2]                                   S.id := new id
 *     reads S.id: the old one                [B3]
 *     invalidates the old id                 loads the root under the new id
 *     [B4]                                   walks: sees the new entry, or else
 *                                            CPU 0 would have read the new id
 */
#include "ktlb_priv.h"
#include "ktlb_plan.h"

/*
 * One instruction a leaf, or a range. `scope` and `leaf_only` are constants at each call, so that
 * each loop holds one instruction of each kind. Both loops end: every step covers a page or more
 * of a count; the address may wrap to 0 behind the last one.
 */
KTLB_INLINE void invalidate(enum ktlb_scope scope, int leaf_only, enum ktlb_plan plan, uint64_t id,
                            uint64_t va, uint64_t pages, uint32_t leaf_shift)
{
	/* A hint for the leaf's level; never when tables may have gone, whose level is another. */
	uint32_t level = leaf_only && (ktlb_sys.features & KTLB_FEATURE_TTL)
	                         ? ktlb_arch_level(leaf_shift)
	                         : 0;

	if (plan == KTLB_PLAN_LEAVES) {
		uint64_t leaves = pages >> (leaf_shift - KTLB_ARCH_PAGE_SHIFT);

		for (; leaves; leaves--, va += (uint64_t)1 << leaf_shift)
			ktlb_insn_broadcast_va(scope, leaf_only, 0,
			                       ktlb_arch_va_operand(va, id, level));
		return;
	}
	while (pages) {
		struct ktlb_arch_op op = ktlb_arch_range_next(va, pages, id, level);

		if (op.range)
			ktlb_insn_broadcast_va(scope, leaf_only, 1, op.operand);
		else
			ktlb_insn_broadcast_va(scope, leaf_only, 0, op.operand);
		va += op.pages << KTLB_ARCH_PAGE_SHIFT;
		pages -= op.pages;
	}
}

KTLB_INLINE enum ktlb_plan plan_for(uint64_t pages, uint32_t leaf_shift)
{
	return ktlb_plan(KTLB_CFG_TLBI_RANGE, (ktlb_sys.features & KTLB_FEATURE_TLBI_RANGE) != 0,
	                 ktlb_sys.full_flush_strides, pages, leaf_shift);
}

/*
 * Step 2 and 3. 0: the space never had an id, so that no TLB has anything of it; and a CPU which
 * is giving it one now sees the change, as above.
 */
KTLB_INLINE uint64_t id_to_flush(struct ktlb_space *space)
{
	uint64_t id;

	ktlb_arch_changes_barrier(); /* [B2] */
	id = ktlb_load_relaxed(&space->id);
	if (ktlb_unlikely(id == 0)) {
		KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
		KTLB_REQUIRE(space->magic == KTLB_SPACE_MAGIC,
		             "ktlb_flush: the space is not initialised", space->magic,
		             KTLB_SPACE_MAGIC);
		ktlb_count(KTLB_COUNT_SKIP_NEVER_RAN);
	}
	return id;
}

void ktlb_shootdown_span(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t leaf_shift,
                         int leaf_only)
{
	uint64_t id = id_to_flush(space);

	if (ktlb_likely(id != 0)) {
		enum ktlb_plan plan = plan_for(pages, leaf_shift);
		uint64_t number = KTLB_ID_NUMBER(id);

		if (plan == KTLB_PLAN_ALL) {
			ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
			ktlb_insn_broadcast_id(ktlb_arch_id_operand(number));
		} else if (leaf_only) {
			invalidate(KTLB_SCOPE_ID, 1, plan, number, va, pages, leaf_shift);
		} else {
			invalidate(KTLB_SCOPE_ID, 0, plan, number, va, pages, leaf_shift);
		}
	}
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

void ktlb_shootdown_space(struct ktlb_space *space)
{
	uint64_t id = id_to_flush(space);

	if (ktlb_likely(id != 0))
		ktlb_insn_broadcast_id(ktlb_arch_id_operand(KTLB_ID_NUMBER(id)));
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

void ktlb_shootdown_kernel_span(uint64_t va, uint64_t pages, uint32_t leaf_shift, int leaf_only)
{
	enum ktlb_plan plan = plan_for(pages, leaf_shift);

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
	ktlb_arch_changes_barrier(); /* [B2] */
	if (plan == KTLB_PLAN_ALL) {
		ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
		ktlb_insn_broadcast_all();
	} else if (leaf_only) {
		invalidate(KTLB_SCOPE_KERNEL, 1, plan, 0, va, pages, leaf_shift);
	} else {
		invalidate(KTLB_SCOPE_KERNEL, 0, plan, 0, va, pages, leaf_shift);
	}
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
	ktlb_arch_sync_barrier();                      /* [B5] */
}
