/* SPDX-License-Identifier: MIT */
/* x86-64: what happens is traced, on the CPU where it does, with what it concerns and the reason. */
#include "unit.h"

/* The next record from `from` on that is of this event. */
static unsigned find(unsigned from, uint32_t event)
{
	while (from < fake_traced && fake_trace[from].event != event)
		from++;
	assert_true(from < fake_traced);
	return from;
}

static void events_with_reasons(void **unused)
{
	const struct ktlb_trace_record *r;

	(void)unused;
	if (!KTLB_CFG_TRACE)
		skip();
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	switch_on(2, &space[0]);
	lazy_on(2);
	switch_on(3, &space[0]);
	switch_on(3, &space[1]);
	fake_run_on(0);
	fake_traced = 0;
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);

	r = &fake_trace[find(0, KTLB_COUNT_FLUSH_PAGE)];
	assert_int_equal(r->cpu, 0);
	assert_int_equal(r->space, space[0].id);
	assert_int_equal(r->va, 0x3000);
	assert_int_equal(r->pages, 1);
	r = &fake_trace[find(0, KTLB_COUNT_SKIP_LAZY)];
	assert_int_equal(r->space, space[0].id);
	find(0, KTLB_COUNT_SKIP_OTHER);
	r = &fake_trace[find(find(0, KTLB_COUNT_HANDLED) + 1, KTLB_COUNT_HANDLED)];
	assert_int_equal(r->cpu, 1);
	assert_int_equal(r->va, 0x3000);
	assert_int_equal(r->generation, space[0].generation);

	fake_traced = 0;
	switch_on(3, &space[0]);
	r = &fake_trace[find(0, KTLB_COUNT_SWITCH_FLUSH)];
	assert_int_equal(r->cpu, 3);
	assert_int_equal(r->generation, space[0].generation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(events_with_reasons, with_pcid),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
