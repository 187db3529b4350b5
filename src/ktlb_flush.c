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
	uint32_t step_shift;
	enum ktlb_what what;
};

/*
 * Rounds a range outwards to leaves. The last byte, not the end, is what is computed with: the end
 * of the kernel's half is 2^64. Leaves of unknown size are stepped by page, which is right for every
 * size, and looked for at every level, which is right for every level.
 */
KTLB_INLINE struct span make_span(uint64_t start, uint64_t size, uint64_t leaf_size, uint32_t flags)
{
	struct span span;
	uint64_t last = start + (size - 1);
	uint64_t mask = ((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT) - 1;

	span.step_shift = KTLB_ARCH_PAGE_SHIFT;
	span.what = flags & KTLB_LEAF_ONLY ? KTLB_WHAT_LEAVES_OF_LEVEL : KTLB_WHAT_ALL_LEVELS;
	if (ktlb_unlikely(leaf_size != mask + 1)) {
		KTLB_CHECK((leaf_size & mask) == 0 && (leaf_size & (leaf_size - 1)) == 0,
		           "ktlb_flush: leaf_size must be 0 or a power of two, a granule or more",
		           leaf_size, mask + 1);
		if (leaf_size) {
			mask = leaf_size - 1;
			span.step_shift = ktlb_arch_entry_shift(
				(uint32_t)__builtin_ctzll(leaf_size));
		} else if (flags & KTLB_LEAF_ONLY) {
			span.what = KTLB_WHAT_LEAVES;
		}
	}
	span.va = start & ~mask;
	span.pages = (((last | mask) - span.va) >> KTLB_ARCH_PAGE_SHIFT) + 1;
	return span;
}

#define OTHER_HALF \
	"ktlb_flush: an address is not in the half of the address space that it should be in"

KTLB_INLINE void check_wrap(uint64_t start, uint64_t size)
{
	KTLB_CHECK(start + (size - 1) >= start,
	           "ktlb_flush: the range wraps around the end of the address space", start, size);
}

void ktlb_flush_page(struct ktlb_space *space, uint64_t va, uint32_t flags)
{
	check_flags(flags);
	KTLB_CHECK(ktlb_arch_is_user(va), OTHER_HALF, va, 0);
	ktlb_shootdown_page(space, va, flags & KTLB_LEAF_ONLY);
}

void ktlb_flush_range(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                      uint32_t flags)
{
	struct span span;

	check_flags(flags);
	if (ktlb_unlikely(size == 0)) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	check_wrap(start, size);
	KTLB_CHECK(ktlb_arch_is_user(start | (start + (size - 1))), OTHER_HALF, start, size);
	span = make_span(start, size, leaf_size, flags);
	ktlb_shootdown_span(space, span.va, span.pages, span.step_shift, span.what);
}

void ktlb_flush_space(struct ktlb_space *space)
{
	ktlb_shootdown_space(space);
}

void ktlb_flush_kernel_range(uint64_t start, uint64_t size, uint64_t leaf_size, uint32_t flags)
{
	struct span span;

	check_flags(flags);
	if (ktlb_unlikely(size == 0)) {
		ktlb_count(KTLB_COUNT_SKIP_EMPTY);
		return;
	}
	check_wrap(start, size);
	KTLB_CHECK(ktlb_arch_is_kernel(start), OTHER_HALF, start, size);
	span = make_span(start, size, leaf_size, flags);
	ktlb_shootdown_kernel_span(span.va, span.pages, span.step_shift, span.what);
}

void ktlb_publish(void)
{
	ktlb_arch_changes_barrier(); /* [B2], for a walk instead of an invalidation */
	ktlb_arch_sync_barrier();    /* [B5] */
}
