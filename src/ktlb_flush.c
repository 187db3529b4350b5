/* SPDX-License-Identifier: MIT */
/*
 * What changed -> what to invalidate: checks, rounding, and which of the four forms of a flush.
 *
 * Nothing here depends on how other CPUs are reached: that is the shootdown's half, which gets a
 * span of whole leaves, never empty, that does not leave its half of the address space or wrap.
 */
#include "ktlb_priv.h"

KTLB_INLINE void check_flags(uint32_t flags)
{
	KTLB_CHECK((flags & ~(uint32_t)KTLB_LEAF_ONLY) == 0, "ktlb_flush: unknown flag", flags,
	           KTLB_LEAF_ONLY);
}

struct span {
	uint64_t va;
	uint64_t pages;
	uint32_t leaf_shift;
};

/*
 * Rounds a range outwards to leaves. The last byte, not the end, is what is computed with: the end
 * of the kernel's half is 2^64. A leaf that is no entry of its own at any level (a contiguous run
 * of entries) is flushed entry by entry, as pages.
 */
KTLB_INLINE struct span make_span(uint64_t start, uint64_t size, uint64_t leaf_size)
{
	struct span span;
	uint64_t last = start + (size - 1);
	uint64_t mask = leaf_size - 1;

	KTLB_CHECK(leaf_size >> KTLB_ARCH_PAGE_SHIFT != 0 && (leaf_size & mask) == 0,
	           "ktlb_flush: leaf_size must be a power of two, a granule or more", leaf_size,
	           (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT);
	KTLB_CHECK(last >= start, "ktlb_flush: the range wraps around the end of the address space",
	           start, size);
	span.va = start & ~mask;
	span.pages = (((last | mask) - span.va) >> KTLB_ARCH_PAGE_SHIFT) + 1;
	span.leaf_shift = (uint32_t)__builtin_ctzll(leaf_size);
	if (ktlb_arch_level(span.leaf_shift) == 0)
		span.leaf_shift = KTLB_ARCH_PAGE_SHIFT;
	return span;
}

KTLB_INLINE void check_user(uint64_t start, uint64_t last)
{
	KTLB_CHECK(ktlb_arch_is_user(start) && ktlb_arch_is_user(last),
	           "ktlb_flush: an address is not in the half of the address space that it should "
	           "be in",
	           start, last);
}

void ktlb_flush_page(struct ktlb_space *space, uint64_t va, uint32_t flags)
{
	check_flags(flags);
	check_user(va, va);
	ktlb_count(KTLB_COUNT_FLUSH_PAGE);
	ktlb_shootdown_span(space, va, 1, KTLB_ARCH_PAGE_SHIFT, flags & KTLB_LEAF_ONLY);
}

void ktlb_flush_range(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                      uint32_t flags)
{
	struct span span;

	check_flags(flags);
	if (size == 0) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	check_user(start, start + (size - 1));
	ktlb_count(KTLB_COUNT_FLUSH_RANGE);
	span = make_span(start, size, leaf_size);
	ktlb_shootdown_span(space, span.va, span.pages, span.leaf_shift, flags & KTLB_LEAF_ONLY);
}

void ktlb_flush_space(struct ktlb_space *space)
{
	ktlb_count(KTLB_COUNT_FLUSH_SPACE);
	ktlb_shootdown_space(space);
}

void ktlb_flush_kernel_range(uint64_t start, uint64_t size, uint64_t leaf_size, uint32_t flags)
{
	uint64_t last = start + (size - 1);
	struct span span;

	check_flags(flags);
	if (size == 0) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	KTLB_CHECK(last < start || (ktlb_arch_is_kernel(start) && ktlb_arch_is_kernel(last)),
	           "ktlb_flush: an address is not in the half of the address space that it should "
	           "be in",
	           start, last);
	ktlb_count(KTLB_COUNT_FLUSH_KERNEL);
	span = make_span(start, size, leaf_size);
	ktlb_shootdown_kernel_span(span.va, span.pages, span.leaf_shift, flags & KTLB_LEAF_ONLY);
}

void ktlb_publish(void)
{
	ktlb_arch_changes_barrier(); /* [B2], for a walk instead of an invalidation */
	ktlb_arch_sync_barrier();    /* [B5] */
}
