/* SPDX-License-Identifier: MIT */
/*
 * From what a caller names to what a shootdown gets: checks, and rounding outwards to whole leaves.
 *
 * A span is never empty, does not leave its half of the address space and does not wrap. The last byte
 * of a range, not its end, is what is computed with: the end of the kernel's half is 2^64.
 */
#ifndef KTLB_SPAN_H
#define KTLB_SPAN_H

#include "ktlb_priv.h"

KTLB_INLINE void ktlb_check_flags(uint32_t flags)
{
	KTLB_CHECK((flags & ~(uint32_t)KTLB_LEAF_ONLY) == 0, "ktlb_flush: unknown flag", flags,
	           KTLB_LEAF_ONLY);
}

#define KTLB_OTHER_HALF \
	"ktlb_flush: an address is not in the half of the address space that it should be in"

KTLB_INLINE void ktlb_check_wrap(uint64_t start, uint64_t size)
{
	KTLB_CHECK(start + (size - 1) >= start,
	           "ktlb_flush: the range wraps around the end of the address space", start, size);
}

KTLB_INLINE void ktlb_check_user_range(uint64_t start, uint64_t size)
{
	ktlb_check_wrap(start, size);
	KTLB_CHECK(ktlb_arch_is_user(start | (start + (size - 1))), KTLB_OTHER_HALF, start, size);
}

#define KTLB_PAGE_MASK (((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT) - 1)

KTLB_INLINE void ktlb_check_leaf_size(uint64_t leaf_size)
{
	KTLB_CHECK((leaf_size & KTLB_PAGE_MASK) == 0 && (leaf_size & (leaf_size - 1)) == 0,
	           "ktlb_flush: leaf_size must be 0 or a power of two, a granule or more",
	           leaf_size, KTLB_PAGE_MASK + 1);
}

/*
 * Leaves of unknown size are stepped by page, which is right for every size, and looked for at every
 * level, which is right for every level.
 */
KTLB_INLINE struct ktlb_span ktlb_make_span(uint64_t start, uint64_t size, uint64_t leaf_size,
                                            uint32_t flags)
{
	struct ktlb_span span;
	uint64_t last = start + (size - 1);
	uint64_t mask = KTLB_PAGE_MASK;

	span.step_shift = KTLB_ARCH_PAGE_SHIFT;
	span.what = flags & KTLB_LEAF_ONLY ? KTLB_WHAT_LEAVES_OF_LEVEL : KTLB_WHAT_ALL_LEVELS;
	if (ktlb_unlikely(leaf_size != mask + 1)) {
		ktlb_check_leaf_size(leaf_size);
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

/* What else caches translations of the page tables: see KTLB_CFG_SECONDARY. No size: everything. */
KTLB_INLINE void ktlb_tell_secondary(struct ktlb_space *space, uint64_t start, uint64_t size,
                                     uint32_t flags)
{
	if (KTLB_CFG_SECONDARY)
		ktlb_port_secondary(space, start, size, flags);
}

#endif /* KTLB_SPAN_H */
