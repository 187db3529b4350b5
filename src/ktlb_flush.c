/* SPDX-License-Identifier: MIT */
/*
 * What changed -> what to invalidate: the forms of a flush.
 *
 * Nothing here depends on how other CPUs are reached: that is the shootdown's half, which gets
 * spans of whole leaves (ktlb_span.h). What else caches translations, an IOMMU, is told the range as
 * the caller gave it, after the entries were made visible and before the caller is told that all is
 * over.
 */
#include "ktlb_span.h"

void ktlb_flush_page(struct ktlb_space *space, uint64_t va, uint32_t flags)
{
	ktlb_check_flags(flags);
	KTLB_CHECK(ktlb_arch_is_user(va), KTLB_OTHER_HALF, va, 0);
	ktlb_shootdown_page(space, va, flags & KTLB_LEAF_ONLY);
	ktlb_tell_secondary(space, va & ~KTLB_PAGE_MASK, KTLB_PAGE_MASK + 1, flags);
}

void ktlb_flush_range(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                      uint32_t flags)
{
	struct ktlb_span span;

	ktlb_check_flags(flags);
	if (ktlb_unlikely(size == 0)) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	ktlb_check_user_range(start, size);
	span = ktlb_make_span(start, size, leaf_size, flags);
	ktlb_shootdown_span(space, span.va, span.pages, span.step_shift, (enum ktlb_what)span.what);
	ktlb_tell_secondary(space, start, size, flags);
}

void ktlb_flush_space(struct ktlb_space *space)
{
	ktlb_shootdown_space(space);
	ktlb_tell_secondary(space, 0, 0, 0);
}

void ktlb_flush_kernel_range(uint64_t start, uint64_t size, uint64_t leaf_size, uint32_t flags)
{
	struct ktlb_span span;

	ktlb_check_flags(flags);
	if (ktlb_unlikely(size == 0)) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	ktlb_check_wrap(start, size);
	KTLB_CHECK(ktlb_arch_is_kernel(start), KTLB_OTHER_HALF, start, size);
	span = ktlb_make_span(start, size, leaf_size, flags);
	ktlb_shootdown_kernel_span(span.va, span.pages, span.step_shift, (enum ktlb_what)span.what);
	ktlb_tell_secondary(0, start, size, flags);
}

void ktlb_publish(void)
{
	ktlb_arch_changes_barrier(); /* [B2], for a walk instead of an invalidation */
	ktlb_arch_sync_barrier();    /* [B5] */
}

/* ---- post and wait ----------------------------------------------------------------------------*/

void ktlb_flush_post(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                     uint32_t flags, struct ktlb_pending *pending)
{
	ktlb_check_flags(flags);
	pending->space = 0;
	if (ktlb_unlikely(size == 0)) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	ktlb_check_user_range(start, size);
	ktlb_count(KTLB_COUNT_FLUSH_POST);
	pending->space = space;
	pending->spans = 1;
	pending->span[0] = ktlb_make_span(start, size, leaf_size, flags);
	ktlb_shootdown_post(pending, pending->span[0].what == KTLB_WHAT_ALL_LEVELS);
	ktlb_tell_secondary(space, start, size, flags);
}

void ktlb_flush_post_space(struct ktlb_space *space, struct ktlb_pending *pending)
{
	ktlb_count(KTLB_COUNT_FLUSH_POST);
	pending->space = space;
	pending->spans = 0;
	ktlb_shootdown_post(pending, 1);
	ktlb_tell_secondary(space, 0, 0, 0);
}

void ktlb_flush_wait(struct ktlb_pending *pending)
{
	if (!pending->space)
		return;
	ktlb_shootdown_wait(pending);
	pending->space = 0;
}
