/* SPDX-License-Identifier: MIT */
/* arm64: what happens is traced, in its order, with what it concerns; without counters, too. */
#include "unit.h"

#include "ktlb_priv.h"

#define PAGE ((uint64_t)1 << KTLB_CFG_ARM64_GRANULE_SHIFT)

/* The next record of this event; decisions of the planner may stand in between. */
static unsigned at;

static void expect(uint32_t event, const struct ktlb_space *space, uint64_t va, uint64_t pages)
{
	while (at < fake_traced && fake_trace[at].event != event)
		at++;
	assert_true(at < fake_traced);
	assert_int_equal(fake_trace[at].cpu, 1);
	assert_int_equal(fake_trace[at].space, space ? ktlb_space_id(space) : 0);
	assert_int_equal(fake_trace[at].va, va);
	assert_int_equal(fake_trace[at].pages, pages);
	at++;
}

static void events_in_their_order(void **unused)
{
	static struct ktlb_space space, other;
	struct ktlb_config config = {.cpus = 2};

	(void)unused;
	if (!KTLB_CFG_TRACE)
		skip();
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&other, 0, sizeof(other));
	ktlb_space_init(&space, 1 << 20);
	ktlb_space_init(&other, 2 << 20);
	fake_run_on(1);
	fake_traced = at = 0;
	ktlb_flush_page(&space, 0, 0);
	expect(KTLB_COUNT_SKIP_NEVER_RAN, 0, 0, 0);
	ktlb_switch(&space);
	ktlb_switch(&other);
	fake_traced = at = 0;
	ktlb_switch(&space);
	ktlb_switch(&space);
	ktlb_flush_page(&space, 5 * PAGE, 0);
	ktlb_flush_range(&space, 2 * PAGE, 3 * PAGE, PAGE, 0);
	ktlb_flush_range(&space, 2 * PAGE, 0, PAGE, 0);
	ktlb_flush_space(&space);
	ktlb_flush_kernel_range(-(2 * PAGE), PAGE, PAGE, 0);
	expect(KTLB_COUNT_SWITCH_HIT, &space, 0, 0);
	expect(KTLB_COUNT_SWITCH_SAME, &space, 0, 0);
	expect(KTLB_COUNT_FLUSH_PAGE, &space, 5 * PAGE, 1);
	expect(KTLB_COUNT_FLUSH_RANGE, &space, 2 * PAGE, 3);
	expect(KTLB_COUNT_SKIP_EMPTY, 0, 0, 0);
	expect(KTLB_COUNT_FLUSH_SPACE, &space, 0, 0);
	expect(KTLB_COUNT_FLUSH_KERNEL, 0, -(2 * PAGE), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(events_in_their_order)};

	return cmocka_run_group_tests(tests, 0, 0);
}
