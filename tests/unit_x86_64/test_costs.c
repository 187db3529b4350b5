/* SPDX-License-Identifier: MIT */
/* How many pages are flushed one by one: by ktlb_config, by costs, by what ktlb_calibrate measures. */
#include "unit.h"

static void boot(struct ktlb_config config)
{
	config.cpus = 1;
	config.kernel_root = FAKE_KERNEL_ROOT;
	fake_power_on(1, 1, 1);
	fake_boot(&config);
	new_spaces();
	switch_on(0, &space[0]);
	fake_events = 0;
}

/* The most pages that are still done one by one: INVLPGs in the log, else the root is loaded anew. */
static uint32_t most_by_page(void)
{
	for (uint32_t pages = 1; pages < FAKE_PAGES; pages++) {
		fake_events = 0;
		ktlb_flush_range(&space[0], 0, pages << 12, 4096, 0);
		if (fake_log[0].op != FAKE_INVLPG)
			return pages - 1;
		assert_int_equal(fake_events, pages);
	}
	return FAKE_PAGES;
}

static void limits_and_costs(void **unused)
{
	(void)unused;
	boot((struct ktlb_config){.cpus = 1});
	assert_int_equal(ktlb_full_flush_strides(), 34);
	assert_int_equal(most_by_page(), 33);
	/* by page as long as that is cheaper than a full flush and its refill */
	boot((struct ktlb_config){.costs = {100, 300, 900}});
	assert_int_equal(most_by_page(), 11);
	boot((struct ktlb_config){.costs = {100, 300, 901}});
	assert_int_equal(most_by_page(), 12);
	boot((struct ktlb_config){.costs = {100, 300, 901}, .full_flush_strides = 5});
	assert_int_equal(most_by_page(), 4);
	/* never less than one page */
	boot((struct ktlb_config){.costs = {1000, 1, 1}});
	assert_int_equal(most_by_page(), 1);
	if (!KTLB_CFG_COUNT)
		return;
	boot((struct ktlb_config){.costs = {100, 300, 0}});
	ktlb_flush_range(&space[0], 0, 2 << 12, 4096, 0);
	ktlb_flush_range(&space[0], 0, 3 << 12, 4096, 0);
	ktlb_flush_kernel_range(FAKE_KERNEL_VA(1), 2 << 12, 4096, KTLB_LEAF_ONLY);
	assert_int_equal(count(KTLB_COUNT_PLAN_LEAVES), 2);
	assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), 1);
	assert_int_equal(count(KTLB_COUNT_PLAN_RANGES), 0);
}

static void calibration(void **unused)
{
#if KTLB_CFG_CLOCK
	static uint64_t memory[64];
	struct ktlb_costs costs;

	(void)unused;
	boot((struct ktlb_config){.full_flush_strides = 3});
	fake_this()->irqs_off = 1;
	fake_cost[FAKE_INVLPG] = 7;
	fake_cost[FAKE_CR3] = 40;
	fake_cost[FAKE_INVPCID] = 1000;
	fake_refill = 25;
	costs = ktlb_calibrate(memory, sizeof(memory));
	assert_int_equal(costs.page, 64 * 7);
	assert_int_equal(costs.full, 64 * 40);
	assert_int_equal(costs.refill, 64 * 25);
	fake_this()->irqs_off = 0;
	assert_int_equal(most_by_page(), 9); /* 63 < 65 <= 70 */
	/* a clock that stands still */
	memset(fake_cost, 0, sizeof(fake_cost));
	fake_refill = 0;
	boot((struct ktlb_config){.full_flush_strides = 3});
	fake_this()->irqs_off = 1;
	costs = ktlb_calibrate(memory, sizeof(memory));
	fake_this()->irqs_off = 0;
	assert_int_equal(costs.page, 0);
	assert_int_equal(most_by_page(), 2);
#else
	(void)unused;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_and_costs),
		cmocka_unit_test(calibration),
	};

	return cmocka_run_group_tests_name("costs", tests, 0, 0);
}
