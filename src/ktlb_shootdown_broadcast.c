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
#include "ktlb_asid_global.h"
#include "ktlb_plan.h"

/* Where ids are split a change is one under both: the same once more, under the user's. */
KTLB_INLINE void broadcast_va(enum ktlb_scope scope, int leaf_only, int range, uint64_t operand)
{
	ktlb_insn_broadcast_va(scope, leaf_only, range, operand);
	if (KTLB_ARCH_USER_TWIN && scope == KTLB_SCOPE_ID)
		ktlb_insn_broadcast_va(scope, leaf_only, range, operand | KTLB_ARCH_USER_TWIN);
}

KTLB_INLINE void broadcast_id(uint64_t number)
{
	ktlb_insn_broadcast_id(ktlb_arch_id_operand(number));
	if (KTLB_ARCH_USER_TWIN)
		ktlb_insn_broadcast_id(ktlb_arch_id_operand(number) | KTLB_ARCH_USER_TWIN);
}

/*
 * One instruction a leaf, or a range. `scope` and `leaf_only` are constants at each call, so that
 * each loop holds one instruction of each kind. Both loops end: every step covers a page or more
 * of a count; the address may wrap to 0 behind the last one.
 */
KTLB_INLINE void invalidate(enum ktlb_scope scope, int leaf_only, enum ktlb_plan plan, uint64_t id,
                            uint64_t va, uint64_t pages, uint32_t step_shift, uint32_t level)
{
	if (plan == KTLB_PLAN_LEAVES) {
		uint64_t leaves = pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT);

		for (; leaves; leaves--, va += (uint64_t)1 << step_shift)
			broadcast_va(scope, leaf_only, 0, ktlb_arch_va_operand(va, id, level));
		return;
	}
	while (pages) {
		struct ktlb_arch_op op = ktlb_arch_range_next(va, pages, id, level);

		if (op.range)
			broadcast_va(scope, leaf_only, 1, op.operand);
		else
			broadcast_va(scope, leaf_only, 0, op.operand);
		va += op.pages << KTLB_ARCH_PAGE_SHIFT;
		pages -= op.pages;
	}
}

/*
 * The hint that a flush of leaves may give: none if their sizes differ, for the hardware may then
 * pass over those at other levels; none if tables may have gone, whose entries are at another.
 */
KTLB_INLINE uint32_t hint(enum ktlb_what what, uint32_t step_shift)
{
	if (what != KTLB_WHAT_LEAVES_OF_LEVEL || !(ktlb_sys.features & KTLB_FEATURE_TTL))
		return 0;
	return ktlb_arch_level(step_shift);
}

/* The plan; and with it, if the policy has it so, a larger span. */
KTLB_INLINE enum ktlb_plan plan_for(uint64_t *va, uint64_t *pages, uint32_t step_shift)
{
	enum ktlb_plan plan = ktlb_plan(KTLB_CFG_TLBI_RANGE,
	                                (ktlb_sys.features & KTLB_FEATURE_TLBI_RANGE) != 0,
	                                ktlb_sys.full_flush_strides, *pages, step_shift);

	if (KTLB_CFG_TLBI_RANGE == KTLB_TLBI_PLANNER && KTLB_CFG_TLBI_COVER != KTLB_COVER_EXACT &&
	    plan == KTLB_PLAN_RANGES) {
		struct ktlb_arch_cover cover = ktlb_arch_cover(*va, *pages);

		if (cover.pages > KTLB_ARCH_RANGE_PAGES_MAX)
			return KTLB_PLAN_ALL;
		*va = cover.va;
		*pages = cover.pages;
	}
	return plan;
}

/* FLUSH_WIDENED, PLAN_LEAVES or PLAN_RANGES; and is it more than was asked for? */
KTLB_INLINE void count_plan(enum ktlb_plan plan, int covered)
{
	if (covered)
		ktlb_count(KTLB_COUNT_PLAN_COVERED);
	ktlb_count(plan == KTLB_PLAN_ALL      ? KTLB_COUNT_FLUSH_WIDENED
	           : plan == KTLB_PLAN_RANGES ? KTLB_COUNT_PLAN_RANGES
	                                      : KTLB_COUNT_PLAN_LEAVES);
}

/* A span that is not everything. */
KTLB_INLINE void invalidate_span(uint64_t id, uint64_t va, uint64_t pages, uint32_t step_shift,
                                 enum ktlb_what what, enum ktlb_plan plan)
{
	if (what == KTLB_WHAT_ALL_LEVELS)
		invalidate(KTLB_SCOPE_ID, 0, plan, id, va, pages, step_shift, 0);
	else
		invalidate(KTLB_SCOPE_ID, 1, plan, id, va, pages, step_shift,
		           hint(what, step_shift));
}

static void check_not_running(struct ktlb_space *space);
static void not_running(struct ktlb_space *space, enum ktlb_counter counter);

/* Step 2 and 3. */
KTLB_INLINE uint64_t id_to_flush(struct ktlb_space *space)
{
	ktlb_arch_changes_barrier(); /* [B2] */
	return ktlb_load_relaxed(&space->id);
}

/* A space that never had an id, or that is none. */
KTLB_INLINE int has_no_id(struct ktlb_space *space, uint64_t id)
{
	return (int)ktlb_unlikely(id == 0 || (KTLB_CFG_CHECK && space->self != space));
}

void ktlb_shootdown_page(struct ktlb_space *space, uint64_t va, int leaf_only)
{
	uint64_t id = id_to_flush(space);
	uint64_t number = KTLB_ID_NUMBER(id);

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_PAGE);
		return;
	}
	ktlb_count(KTLB_COUNT_FLUSH_PAGE);
	if (leaf_only) {
		uint32_t level = hint(KTLB_WHAT_LEAVES_OF_LEVEL, KTLB_ARCH_PAGE_SHIFT);

		broadcast_va(KTLB_SCOPE_ID, 1, 0, ktlb_arch_va_operand(va, number, level));
	} else {
		broadcast_va(KTLB_SCOPE_ID, 0, 0, ktlb_arch_va_operand(va, number, 0));
	}
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

void ktlb_shootdown_span(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t step_shift,
                         enum ktlb_what what)
{
	uint64_t id = id_to_flush(space);
	uint64_t number = KTLB_ID_NUMBER(id);
	uint64_t asked = pages;
	enum ktlb_plan plan = plan_for(&va, &pages, step_shift);

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_RANGE);
		return;
	}
	ktlb_count(KTLB_COUNT_FLUSH_RANGE);
	count_plan(plan, pages != asked);
	if (plan == KTLB_PLAN_ALL)
		broadcast_id(number);
	else
		invalidate_span(number, va, pages, step_shift, what, plan);
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

void ktlb_shootdown_space(struct ktlb_space *space)
{
	uint64_t id = id_to_flush(space);

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_SPACE);
		return;
	}
	ktlb_count(KTLB_COUNT_FLUSH_SPACE);
	broadcast_id(KTLB_ID_NUMBER(id));
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

/* One span after the other; everything as soon as one of them is. No wait: that is below. */
static void issue(struct ktlb_pending *pending, uint64_t id)
{
	for (uint32_t i = 0; i < pending->spans; i++) {
		uint64_t va = pending->span[i].va, pages = pending->span[i].pages;

		if (plan_for(&va, &pages, pending->span[i].step_shift) == KTLB_PLAN_ALL) {
			ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
			pending->spans = 0;
		}
	}
	if (pending->spans == 0)
		broadcast_id(id);
	for (uint32_t i = 0; i < pending->spans; i++) {
		const struct ktlb_span *span = &pending->span[i];
		uint64_t va = span->va, pages = span->pages;
		enum ktlb_plan plan = plan_for(&va, &pages, span->step_shift);

		count_plan(plan, pages != span->pages);
		invalidate_span(id, va, pages, span->step_shift, (enum ktlb_what)span->what, plan);
	}
}

void ktlb_shootdown_post(struct ktlb_pending *pending, int tables)
{
	struct ktlb_space *space = pending->space;
	uint64_t id = id_to_flush(space);

	(void)tables; /* each span says so itself */
	if (has_no_id(space, id))
		check_not_running(space);
	else
		issue(pending, KTLB_ID_NUMBER(id));
}

/*
 * Where the thread is now may be another CPU than the one that issued the invalidations, whose DSB alone
 * completes them. But then the thread has been taken off that CPU by a switch, which began with that
 * DSB [B1]; so here there is nothing left to wait for, and it does not have to be known which it is.
 */
void ktlb_shootdown_wait(struct ktlb_pending *pending)
{
	(void)pending;
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

/* The number of an id that this CPU runs under does not change: a rollover keeps it. */
void ktlb_shootdown_here(struct ktlb_space *space, uint64_t va)
{
	uint64_t id = ktlb_load_relaxed(&space->id);

	if (id != 0)
		ktlb_arch_flush_here(ktlb_arch_va_operand(va, KTLB_ID_NUMBER(id), 0));
}

/* A walk that began before the root went: on any CPU, under the id. */
void ktlb_shootdown_dead_space(struct ktlb_space *space)
{
	ktlb_shootdown_space(space);
}

void ktlb_shootdown_kernel_span(uint64_t va, uint64_t pages, uint32_t step_shift,
                                enum ktlb_what what)
{
	uint64_t asked = pages;
	enum ktlb_plan plan = plan_for(&va, &pages, step_shift);

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
	ktlb_count(KTLB_COUNT_FLUSH_KERNEL);
	ktlb_arch_changes_barrier(); /* [B2] */
	count_plan(plan, pages != asked);
	if (plan == KTLB_PLAN_ALL) {
		ktlb_insn_broadcast_all();
	} else if (what == KTLB_WHAT_ALL_LEVELS) {
		invalidate(KTLB_SCOPE_KERNEL, 0, plan, 0, va, pages, step_shift, 0);
	} else {
		invalidate(KTLB_SCOPE_KERNEL, 1, plan, 0, va, pages, step_shift,
		           hint(what, step_shift));
	}
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
	ktlb_arch_sync_barrier();                      /* [B5] */
}

/*
 * A space without an id is in no TLB; and a CPU which is giving it one now sees the change, as
 * above. Nothing to invalidate, then; the barrier is what callers may rely on all the same.
 */
static __attribute__((noinline, cold)) void check_not_running(struct ktlb_space *space)
{
	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_flush: ktlb_init has not run", 0, 0);
	KTLB_REQUIRE(space->self == space, "ktlb_flush: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);
	ktlb_count(KTLB_COUNT_SKIP_NEVER_RAN);
}

static __attribute__((noinline, cold)) void not_running(struct ktlb_space *space,
                                                        enum ktlb_counter counter)
{
	check_not_running(space);
	ktlb_count(counter);
	ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
}

/* No CPU is asked for anything. */
struct ktlb_ping ktlb_shootdown_ping(uint32_t cpu)
{
	struct ktlb_ping ping = {0, cpu, 0};

	return ping;
}

int ktlb_shootdown_pong(const struct ktlb_ping *ping)
{
	(void)ping;
	return 1;
}
