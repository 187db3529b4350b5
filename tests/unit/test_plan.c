/* SPDX-License-Identifier: MIT */
/* The planner: each value of KTLB_CFG_TLBI_RANGE, with range instructions and without. */
#include "unit.h"

#include "ktlb_plan.h"

#define PAGE          KTLB_ARCH_PAGE_SHIFT
#define BLOCK         (2 * KTLB_ARCH_PAGE_SHIFT - 3)
#define PAGES_A_BLOCK ((uint64_t)1 << (BLOCK - PAGE))

static enum ktlb_plan plan(uint32_t option, int has_ranges, uint64_t leaves, uint32_t leaf)
{
	return ktlb_plan(option, has_ranges, 512, leaves << (leaf - PAGE), leaf);
}

/* What a plan costs in instructions. */
static uint64_t cost(enum ktlb_plan p, uint64_t leaves, uint32_t leaf)
{
	switch (p) {
	case KTLB_PLAN_LEAVES:
		return leaves;
	case KTLB_PLAN_RANGES:
		return ktlb_arch_range_ops(leaves << (leaf - PAGE));
	case KTLB_PLAN_ALL:
		return 1;
	}
	return 0;
}

static void without_ranges_all_are_none(void **unused)
{
	(void)unused;
	for (uint32_t option = KTLB_TLBI_NONE; option <= KTLB_TLBI_PLANNER; option++) {
		for (uint64_t leaves = 1; leaves < 600; leaves++) {
			enum ktlb_plan expected = leaves < 512 ? KTLB_PLAN_LEAVES : KTLB_PLAN_ALL;

			assert_int_equal(plan(option, 0, leaves, PAGE), expected);
			assert_int_equal(plan(option, 0, leaves, BLOCK), expected);
		}
	}
}

static void none_ignores_ranges(void **unused)
{
	(void)unused;
	assert_int_equal(plan(KTLB_TLBI_NONE, 1, 511, PAGE), KTLB_PLAN_LEAVES);
	assert_int_equal(plan(KTLB_TLBI_NONE, 1, 512, PAGE), KTLB_PLAN_ALL);
	/* out of the way, as on the origin's second machine */
	assert_int_equal(ktlb_plan(KTLB_TLBI_NONE, 1, ~0u, 512, PAGE), KTLB_PLAN_LEAVES);
}

static void always_and_page_stride_differ_at_blocks(void **unused)
{
	(void)unused;
	for (uint64_t leaves = 1; leaves < 600; leaves++) {
		int fits = leaves * PAGES_A_BLOCK <= KTLB_ARCH_RANGE_PAGES_MAX;

		assert_int_equal(plan(KTLB_TLBI_ALWAYS, 1, leaves, PAGE), KTLB_PLAN_RANGES);
		assert_int_equal(plan(KTLB_TLBI_ALWAYS, 1, leaves, BLOCK),
		                 fits ? KTLB_PLAN_RANGES : KTLB_PLAN_ALL);
		assert_int_equal(plan(KTLB_TLBI_PAGE_STRIDE, 1, leaves, PAGE), KTLB_PLAN_RANGES);
		assert_int_equal(plan(KTLB_TLBI_PAGE_STRIDE, 1, leaves, BLOCK),
		                 leaves < 512 ? KTLB_PLAN_LEAVES : KTLB_PLAN_ALL);
	}
}

/* Of all the plans that invalidate no more than was asked for, the planner's is the cheapest. */
static void planner_takes_the_fewest(void **unused)
{
	(void)unused;
	for (uint64_t leaves = 1; leaves <= 4096; leaves++) {
		for (uint32_t leaf = PAGE; leaf <= BLOCK; leaf += BLOCK - PAGE) {
			enum ktlb_plan p = plan(KTLB_TLBI_PLANNER, 1, leaves, leaf);
			uint64_t pages = leaves << (leaf - PAGE);

			assert_int_not_equal(p, KTLB_PLAN_ALL);
			assert_true(cost(p, leaves, leaf) <= leaves);
			assert_true(cost(p, leaves, leaf) <= ktlb_arch_range_ops(pages));
		}
	}
	/* One leaf is one instruction: by address, which takes a hint at every leaf size. */
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, 1, PAGE), KTLB_PLAN_LEAVES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, 1, BLOCK), KTLB_PLAN_LEAVES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, 2, PAGE), KTLB_PLAN_RANGES);
}

/* Exactly 2^21 pages are a range still; one page more is everything; no arithmetic overflows. */
static void the_largest_range(void **unused)
{
	static const uint32_t option[] = {KTLB_TLBI_ALWAYS, KTLB_TLBI_PAGE_STRIDE};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(plan(option[i], 1, KTLB_ARCH_RANGE_PAGES_MAX - 1, PAGE),
		                 KTLB_PLAN_RANGES);
		assert_int_equal(plan(option[i], 1, KTLB_ARCH_RANGE_PAGES_MAX, PAGE),
		                 KTLB_PLAN_RANGES);
		assert_int_equal(plan(option[i], 1, KTLB_ARCH_RANGE_PAGES_MAX + 1, PAGE),
		                 KTLB_PLAN_ALL);
		assert_int_equal(plan(option[i], 1, (uint64_t)1 << (55 - PAGE), PAGE),
		                 KTLB_PLAN_ALL);
	}
	assert_int_equal(plan(KTLB_TLBI_NONE, 1, (uint64_t)1 << 32, PAGE), KTLB_PLAN_ALL);
	assert_int_equal(plan(KTLB_TLBI_NONE, 1, ((uint64_t)1 << 32) + 1, PAGE), KTLB_PLAN_ALL);
}

/* The planner gives up at the limit of instructions, not at the largest range. */
static void the_planner_beyond_the_largest_range(void **unused)
{
	uint64_t most = KTLB_ARCH_RANGE_PAGES_MAX;

	(void)unused;
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, most, PAGE), KTLB_PLAN_RANGES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, most + 1, PAGE), KTLB_PLAN_RANGES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, most / PAGES_A_BLOCK + 2, BLOCK),
	                 KTLB_PLAN_RANGES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, 511 * most, PAGE), KTLB_PLAN_RANGES);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 1, 512 * most, PAGE), KTLB_PLAN_ALL);
	assert_int_equal(ktlb_plan(KTLB_TLBI_PLANNER, 1, 2, most + 1, PAGE), KTLB_PLAN_ALL);
	assert_int_equal(plan(KTLB_TLBI_PLANNER, 0, most, PAGE), KTLB_PLAN_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_ranges_all_are_none),
		cmocka_unit_test(none_ignores_ranges),
		cmocka_unit_test(always_and_page_stride_differ_at_blocks),
		cmocka_unit_test(planner_takes_the_fewest),
		cmocka_unit_test(the_largest_range),
		cmocka_unit_test(the_planner_beyond_the_largest_range),
	};

	return cmocka_run_group_tests_name("plan", tests, 0, 0);
}
