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

KTLB_INLINE void issue_va(enum ktlb_scope scope, int leaf_only, int range, uint64_t operand)
{
	if (scope == KTLB_SCOPE_ID_HERE)
		ktlb_insn_local_va(leaf_only, range, operand);
	else
		ktlb_insn_broadcast_va(scope, leaf_only, range, operand);
}

/* Where ids are split a change is one under both: the same once more, under the user's. */
KTLB_INLINE void invalidate_va(enum ktlb_scope scope, int leaf_only, int range, uint64_t operand)
{
	issue_va(scope, leaf_only, range, operand);
	if (KTLB_ARCH_USER_TWIN && scope != KTLB_SCOPE_KERNEL)
		issue_va(scope, leaf_only, range, operand | KTLB_ARCH_USER_TWIN);
}

KTLB_INLINE void issue_id(int here, uint64_t operand)
{
	if (here)
		ktlb_insn_local_id(operand);
	else
		ktlb_insn_broadcast_id(operand);
}

KTLB_INLINE void invalidate_id(int here, uint64_t number)
{
	issue_id(here, ktlb_arch_id_operand(number));
	if (KTLB_ARCH_USER_TWIN)
		issue_id(here, ktlb_arch_id_operand(number) | KTLB_ARCH_USER_TWIN);
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
			invalidate_va(scope, leaf_only, 0, ktlb_arch_va_operand(va, id, level));
		return;
	}
	while (pages) {
		struct ktlb_arch_op op = ktlb_arch_range_next(va, pages, id, level);

		if (op.range)
			invalidate_va(scope, leaf_only, 1, op.operand);
		else
			invalidate_va(scope, leaf_only, 0, op.operand);
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
KTLB_INLINE void invalidate_span(enum ktlb_scope scope, uint64_t id, uint64_t va, uint64_t pages,
                                 uint32_t step_shift, enum ktlb_what what, enum ktlb_plan plan)
{
	if (what == KTLB_WHAT_ALL_LEVELS)
		invalidate(scope, 0, plan, id, va, pages, step_shift, 0);
	else
		invalidate(scope, 1, plan, id, va, pages, step_shift, hint(what, step_shift));
}

KTLB_INLINE void invalidate_page(enum ktlb_scope scope, uint64_t id, uint64_t va, int leaf_only)
{
	if (leaf_only)
		invalidate_va(
			scope, 1, 0,
			ktlb_arch_va_operand(
				va, id, hint(KTLB_WHAT_LEAVES_OF_LEVEL, KTLB_ARCH_PAGE_SHIFT)));
	else
		invalidate_va(scope, 0, 0, ktlb_arch_va_operand(va, id, 0));
}

/*
 * How far a flush of a space has to reach, KTLB_CFG_ARM64_LOCAL. Not beyond this CPU if the space has run
 * on no other; and from the moment that this is known until the invalidations are complete this CPU must
 * be the one that executes them, so interrupts are off. Which other CPU the space runs on for the first
 * time meanwhile does not matter:
 *
 *     this CPU, the owner                    another CPU, switch
 *     entry := new                           owner := all
 *     [B2]                                   [B50]
 *     reads owner: this CPU                  root := the space's
 *     invalidates here                       walks: sees the new entry, or else
 *     [B51]                                  this CPU would have read "all"
 *
 * Read after step 2, as the id is.
 */
struct reach {
	int here;
	uint64_t irqs;
};

KTLB_INLINE struct reach reach_of(const struct ktlb_space *space)
{
	struct reach reach = {0, 0};
	const struct ktlb_cpu *self;

	if (!KTLB_ARCH_LOCAL)
		return reach;
	reach.irqs = ktlb_port_irq_save();
	self = ktlb_cpu_self();
	reach.here = self->magic == KTLB_CPU_MAGIC &&
	             ktlb_load_relaxed(&space->owner) == (uint64_t)self->number + 1;
	if (reach.here)
		ktlb_count(KTLB_COUNT_FLUSH_LOCAL);
	else
		ktlb_port_irq_restore(reach.irqs);
	return reach;
}

KTLB_INLINE void complete(struct reach reach)
{
	if (reach.here) {
		ktlb_arch_complete_local(ktlb_sys.repeat_tlbi != 0); /* [B51] [B52] */
		ktlb_port_irq_restore(reach.irqs);
	} else {
		ktlb_arch_complete(ktlb_sys.repeat_tlbi != 0); /* [B4] */
	}
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
	struct reach reach;

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_PAGE);
		return;
	}
	ktlb_count_of(KTLB_COUNT_FLUSH_PAGE, space, va, 1, 0);
	reach = reach_of(space);
	if (reach.here)
		invalidate_page(KTLB_SCOPE_ID_HERE, number, va, leaf_only);
	else
		invalidate_page(KTLB_SCOPE_ID, number, va, leaf_only);
	complete(reach); /* [B4] */
}

void ktlb_shootdown_span(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t step_shift,
                         enum ktlb_what what)
{
	uint64_t id = id_to_flush(space);
	uint64_t number = KTLB_ID_NUMBER(id);
	uint64_t asked = pages;
	enum ktlb_plan plan = plan_for(&va, &pages, step_shift);
	struct reach reach;

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_RANGE);
		return;
	}
	ktlb_count_of(KTLB_COUNT_FLUSH_RANGE, space, va, pages, 0);
	count_plan(plan, pages != asked);
	reach = reach_of(space);
	if (plan == KTLB_PLAN_ALL)
		invalidate_id(reach.here, number);
	else if (reach.here)
		invalidate_span(KTLB_SCOPE_ID_HERE, number, va, pages, step_shift, what, plan);
	else
		invalidate_span(KTLB_SCOPE_ID, number, va, pages, step_shift, what, plan);
	complete(reach); /* [B4] */
}

void ktlb_shootdown_space(struct ktlb_space *space)
{
	uint64_t id = id_to_flush(space);
	struct reach reach;

	if (has_no_id(space, id)) {
		not_running(space, KTLB_COUNT_FLUSH_SPACE);
		return;
	}
	ktlb_count_of(KTLB_COUNT_FLUSH_SPACE, space, 0, 0, 0);
	reach = reach_of(space);
	invalidate_id(reach.here, KTLB_ID_NUMBER(id));
	complete(reach); /* [B4] */
}

/* One span after the other; everything as soon as one of them is. No wait: that is below. */
KTLB_INLINE void issue(enum ktlb_scope scope, struct ktlb_pending *pending, uint64_t id)
{
	for (uint32_t i = 0; i < pending->spans; i++) {
		uint64_t va = pending->span[i].va, pages = pending->span[i].pages;

		if (plan_for(&va, &pages, pending->span[i].step_shift) == KTLB_PLAN_ALL) {
			ktlb_count(KTLB_COUNT_FLUSH_WIDENED);
			pending->spans = 0;
		}
	}
	if (pending->spans == 0)
		invalidate_id(scope == KTLB_SCOPE_ID_HERE, id);
	for (uint32_t i = 0; i < pending->spans; i++) {
		const struct ktlb_span *span = &pending->span[i];
		uint64_t va = span->va, pages = span->pages;
		enum ktlb_plan plan = plan_for(&va, &pages, span->step_shift);

		count_plan(plan, pages != span->pages);
		invalidate_span(scope, id, va, pages, span->step_shift, (enum ktlb_what)span->what,
		                plan);
	}
}

/* What is done here alone is completed by the same DSB [B4] or [B1] as what is broadcast. */
void ktlb_shootdown_post(struct ktlb_pending *pending, int tables)
{
	struct ktlb_space *space = pending->space;
	uint64_t id = id_to_flush(space);
	struct reach reach;

	(void)tables; /* each span says so itself */
	if (has_no_id(space, id)) {
		check_not_running(space);
		return;
	}
	reach = reach_of(space);
	if (reach.here) {
		issue(KTLB_SCOPE_ID_HERE, pending, KTLB_ID_NUMBER(id));
		ktlb_port_irq_restore(reach.irqs);
	} else {
		issue(KTLB_SCOPE_ID, pending, KTLB_ID_NUMBER(id));
	}
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
	ktlb_count_of(KTLB_COUNT_FLUSH_KERNEL, 0, va, pages, 0);
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
	ktlb_count_of(KTLB_COUNT_SKIP_NEVER_RAN, space, 0, 0, 0);
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
