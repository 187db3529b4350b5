/* SPDX-License-Identifier: MIT */
/*
 * Gather: many changes of one space, one flush, and then the pages.
 *
 * What is gathered
 *   A few ranges, each with the size of its leaves. What is added joins a range that it touches and
 *   whose leaves are as large as its own; else it begins a range; and when all are in use it joins the
 *   one that grows least, whatever lies in between: to flush too much is always allowed. As soon as
 *   one table was unlinked the whole flush is for all levels: that gives up level hints and the forms for
 *   leaves alone, and reaches lazy CPUs.
 *
 * What is kept
 *   Pages and tables, in a list through nodes of the caller's. They come back when the flush is
 *   over, not before: until then a CPU may write to a page, and walk through a table.
 *
 * Gathers that meet
 *   Between the change of an entry and the flush the entry looks unmapped and is not. Who finds it so
 *   and has nothing to flush must not believe it. So a space counts its open gathers, and what a gather
 *   finds empty while another one is open it flushes, too:
 *
 *     CPU 0 gathers                          CPU 1 gathers
 *     gathers += 1
 *     [B40]
 *     entry := 0
 *                                            reads entry: 0
 *                                            [B41]
 *                                            reads gathers: another one is open, so the
 *                                            address is flushed here, too
 *     flushes
 *     [B42]  gathers -= 1
 *
 *   If CPU 1 reads that no other one is open, the flush that the entry needs is over. It is one
 *   counter, changed by addition alone: a flag would be taken down by the first of two, and of two
 *   counters that are read one after the other the second may count a gather that the first does not.
 *
 *   The other one may have unlinked a table without touching the entries in it; what is found empty is
 *   therefore flushed at all levels.
 */
#include "ktlb_span.h"

void ktlb_gather_begin(struct ktlb_gather *gather, struct ktlb_space *space)
{
	KTLB_REQUIRE(space->self == space, "ktlb_gather_begin: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);
	gather->space = space;
	gather->ranges = 0;
	gather->tables = 0;
	gather->kept = 0;
	gather->pending.space = 0;
	ktlb_add_relaxed(&space->gathers, 1u);
	/* [B40] release, partner [B41]: without it the entry is seen to be empty, and the gather that
	 * has emptied it is not seen to be open. */
	ktlb_fence_release();
}

/* ---- ranges -----------------------------------------------------------------------------------*/

static int touches(const struct ktlb_range *range, uint64_t start, uint64_t last)
{
	return start <= range->last + 1 && range->start <= last + 1;
}

static uint64_t growth(const struct ktlb_range *range, uint64_t start, uint64_t last)
{
	uint64_t below = start < range->start ? range->start - start : 0;
	uint64_t above = last > range->last ? last - range->last : 0;

	return below + above;
}

static void join(struct ktlb_range *range, uint64_t start, uint64_t last, uint64_t leaf_size)
{
	if (start < range->start)
		range->start = start;
	if (last > range->last)
		range->last = last;
	if (leaf_size != range->leaf_size)
		range->leaf_size = 0;
}

static struct ktlb_range *nearest(struct ktlb_gather *gather, uint64_t start, uint64_t last)
{
	struct ktlb_range *best = &gather->range[0];

	for (uint32_t i = 1; i < gather->ranges; i++)
		if (growth(&gather->range[i], start, last) < growth(best, start, last))
			best = &gather->range[i];
	return best;
}

/* User addresses end far below 2^64, so that last + 1 does not wrap. */
static void add(struct ktlb_gather *gather, uint64_t start, uint64_t size, uint64_t leaf_size)
{
	uint64_t mask = leaf_size ? leaf_size - 1 : KTLB_PAGE_MASK;
	uint64_t last = (start + (size - 1)) | mask;
	struct ktlb_range *range;

	start &= ~mask;
	for (uint32_t i = 0; i < gather->ranges; i++) {
		range = &gather->range[i];
		if (range->leaf_size == leaf_size && touches(range, start, last)) {
			join(range, start, last, leaf_size);
			return;
		}
	}
	if (gather->ranges == KTLB_SPANS) {
		join(nearest(gather, start, last), start, last, leaf_size);
		return;
	}
	range = &gather->range[gather->ranges++];
	range->start = start;
	range->last = last;
	range->leaf_size = leaf_size;
}

static void check(const struct ktlb_gather *gather, uint64_t va, uint64_t size)
{
	KTLB_REQUIRE(gather->space, "ktlb_gather: the gather has not begun", 0, 0);
	ktlb_check_user_range(va, size);
}

void ktlb_gather_add(struct ktlb_gather *gather, uint64_t va, uint64_t size, uint64_t leaf_size)
{
	if (size == 0)
		return;
	check(gather, va, size);
	ktlb_check_leaf_size(leaf_size);
	add(gather, va, size, leaf_size);
}

void ktlb_gather_add_table(struct ktlb_gather *gather, uint64_t va, uint64_t size)
{
	if (size == 0)
		return;
	check(gather, va, size);
	gather->tables = 1;
	add(gather, va, size, KTLB_PAGE_MASK + 1);
}

void ktlb_gather_found_empty(struct ktlb_gather *gather, uint64_t va, uint64_t size)
{
	if (size == 0)
		return;
	check(gather, va, size);
	/* [B41] acquire, partners [B40] and [B42]. */
	ktlb_fence_acquire();
	if (ktlb_load_acquire(&gather->space->gathers) == 1)
		return;
	ktlb_count(KTLB_COUNT_GATHER_MET);
	gather->tables = 1;
	add(gather, va, size, KTLB_PAGE_MASK + 1);
}

uint32_t ktlb_gather_pending(const struct ktlb_space *space)
{
	ktlb_fence_acquire(); /* [B41] */
	return ktlb_load_acquire(&space->gathers);
}

/* ---- the end ----------------------------------------------------------------------------------*/

void ktlb_gather_keep(struct ktlb_gather *gather, struct ktlb_gather_page *page)
{
	page->next = gather->kept;
	gather->kept = page;
}

void ktlb_gather_post(struct ktlb_gather *gather)
{
	struct ktlb_pending *pending = &gather->pending;
	uint32_t flags = gather->tables ? 0 : KTLB_LEAF_ONLY;

	KTLB_REQUIRE(gather->space, "ktlb_gather: the gather has not begun", 0, 0);
	if (gather->ranges == 0)
		return;
	ktlb_count(KTLB_COUNT_FLUSH_GATHER);
	pending->space = gather->space;
	pending->spans = gather->ranges;
	for (uint32_t i = 0; i < gather->ranges; i++) {
		const struct ktlb_range *range = &gather->range[i];

		pending->span[i] = ktlb_make_span(range->start, range->last - range->start + 1,
		                                  range->leaf_size, flags);
	}
	ktlb_shootdown_post(pending, gather->tables != 0);
	for (uint32_t i = 0; i < gather->ranges; i++)
		ktlb_tell_secondary(gather->space, gather->range[i].start,
		                    gather->range[i].last - gather->range[i].start + 1, flags);
}

struct ktlb_gather_page *ktlb_gather_wait(struct ktlb_gather *gather)
{
	struct ktlb_space *space = gather->space;
	struct ktlb_gather_page *kept = gather->kept;

	KTLB_REQUIRE(space, "ktlb_gather: the gather has not begun", 0, 0);
	ktlb_flush_wait(&gather->pending);
	gather->space = 0;
	/* [B42] release, partner [B41]: without it the gather is seen to be over while a CPU may still
	 * use what it has emptied. */
	ktlb_add_release(&space->gathers, ~0u);
	return kept;
}

struct ktlb_gather_page *ktlb_gather_flush(struct ktlb_gather *gather)
{
	ktlb_gather_post(gather);
	return ktlb_gather_wait(gather);
}
