/* SPDX-License-Identifier: MIT */
/*
 * The planner: one instruction a leaf, range instructions, or everything? Pure functions.
 *
 * Origin O2 in its values: NONE as before the change, ALWAYS its third version (ranges at every
 * leaf size), PAGE_STRIDE its fourth (ranges for pages only); both give up at what one instruction
 * can cover. PLANNER takes whatever is the fewest instructions, and gives up at the limit that one
 * instruction a leaf has. Counting instructions is right where each costs the same, which the origin's table
 * says of ranges and single ones alike, apart from blocks 8 to 10 of version three.
 */
#ifndef KTLB_PLAN_H
#define KTLB_PLAN_H

#include "ktlb_priv.h"

enum ktlb_plan {
	KTLB_PLAN_LEAVES,
	KTLB_PLAN_RANGES,
	KTLB_PLAN_ALL,
};

static inline enum ktlb_plan ktlb_plan(uint32_t option, int has_ranges, uint32_t full_flush_strides,
                                       uint64_t pages, uint32_t step_shift)
{
	uint64_t leaves = pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT);
	int ranges = 0;

	switch (option) {
	case KTLB_TLBI_NONE:
		break;
	case KTLB_TLBI_ALWAYS:
		ranges = 1;
		break;
	case KTLB_TLBI_PAGE_STRIDE:
		ranges = step_shift == KTLB_ARCH_PAGE_SHIFT;
		break;
	case KTLB_TLBI_PLANNER:
		ranges = step_shift == KTLB_ARCH_PAGE_SHIFT ? pages > 1
		                                            : leaves > ktlb_arch_range_ops(pages);
		break;
	}
	if (ranges && has_ranges) {
		if (ktlb_likely(pages <= KTLB_ARCH_RANGE_PAGES_MAX))
			return KTLB_PLAN_RANGES;
		return option == KTLB_TLBI_PLANNER &&
		                       ktlb_arch_range_ops(pages) < full_flush_strides
		               ? KTLB_PLAN_RANGES
		               : KTLB_PLAN_ALL;
	}
	return leaves >= full_flush_strides ? KTLB_PLAN_ALL : KTLB_PLAN_LEAVES;
}

#endif /* KTLB_PLAN_H */
