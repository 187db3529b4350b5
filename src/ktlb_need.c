/* SPDX-License-Identifier: MIT */
/*
 * Which change of an entry needs what: the architecture's pure function, and the local half of "flush when
 * somebody faults".
 *
 * A flush that is not needed is the cheapest. What is common to the architectures is in one rule: a TLB may
 * hold the old entry for ever, unless it was one that no TLB holds. If all that the old one allows is allowed
 * by the new one, and leads to the same place, then it does not matter, until somebody is refused what he
 * may do by now; he faults, and the fault handler finds that he may.
 */
#include "ktlb_span.h"

uint32_t ktlb_need_flush(uint64_t old_entry, uint64_t new_entry, uint32_t level, uint32_t given)
{
	return ktlb_arch_need(old_entry, new_entry, level, given);
}

void ktlb_fix_spurious(struct ktlb_space *space, uint64_t va)
{
	KTLB_REQUIRE(space->self == space, "ktlb_fix_spurious: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);
	KTLB_CHECK(ktlb_arch_is_user(va), KTLB_OTHER_HALF, va, 0);
	ktlb_count(KTLB_COUNT_FIX_SPURIOUS);
	ktlb_shootdown_here(space, va);
}
