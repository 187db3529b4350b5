/* SPDX-License-Identifier: MIT */
/*
 * Post and wait, and gathers, where other CPUs are told by interrupt: who is asked for what, what a
 * waiting thread waits for, and what another CPU may still use at each step.
 */
#include "unit.h"

static struct ktlb_pending pending, second;
static struct ktlb_gather gather;

static const uint64_t *done_of(uint32_t from, uint32_t cpu)
{
	return &ktlb_cpus[from]->call[cpu].done;
}

/* ---- post and wait ----------------------------------------------------------------------------*/

/* The post returns while CPU 1 has done nothing yet; this CPU has. The wait is over when it has. */
static void a_post_does_not_wait(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_events = 0;
	fake_no_delivery = 1;
	ktlb_flush_post(&space[0], 0x1000, 0x1000, 0x1000, KTLB_LEAF_ONLY, &pending);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000});
	assert_int_equal(*done_of(0, 1), 0);
	assert_false(fake_this()->irqs_off);
	ktlb_flush_wait(&pending);
	EXPECT({FAKE_INVLPG, 1, 0x1000});
	assert_int_equal(*done_of(0, 1), 1);
	ktlb_flush_wait(&pending);
	NOTHING();
	ktlb_flush_post_space(&space[0], &pending);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_CR3, 0, 1 << 20 | 1});
	ktlb_flush_wait(&pending);
	EXPECT({FAKE_CR3, 1, 1 << 20 | 1});
	assert_int_equal(count(KTLB_COUNT_FLUSH_POST), KTLB_CFG_COUNT ? 2 : 0);
}

/* The wait is on another CPU than the post: what it waits for is what CPU 0 has asked. */
static unsigned waits;

static void answers_late(void)
{
	assert_int_equal(fake_this_number(), 2);
	assert_int_equal(*done_of(0, 1), 0);
	if (++waits == 3) {
		fake_run_on(1);
		ktlb_poll();
	}
}

static void a_wait_follows_the_thread(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_no_delivery = 1;
	ktlb_flush_post(&space[0], 0x1000, 0x1000, 0x1000, KTLB_LEAF_ONLY, &pending);
	switch_on(0, &space[1]);
	switch_on(2, &space[0]);
	fake_others = answers_late;
	waits = 0;
	ktlb_flush_wait(&pending);
	assert_int_equal(waits, 3);
	assert_int_equal(*done_of(0, 1), 1);
}

/* The next flush of the CPU has waited for the first, whose own wait has nothing left to do. */
static void a_later_flush_takes_it_along(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_no_delivery = 1;
	ktlb_flush_post(&space[0], 0x1000, 0x1000, 0x1000, KTLB_LEAF_ONLY, &pending);
	assert_int_equal(*done_of(0, 1), 0);
	ktlb_flush_post(&space[0], 0x2000, 0x1000, 0x1000, KTLB_LEAF_ONLY, &second);
	assert_int_equal(*done_of(0, 1), 1);
	fake_events = 0;
	fake_others = abort; /* nobody waits */
	ktlb_flush_wait(&pending);
	NOTHING();
	fake_others = 0;
	ktlb_flush_wait(&second);
	assert_int_equal(*done_of(0, 1), 2);
}

static void nothing_to_post(void **unused)
{
	uint64_t generation;

	(void)unused;
	switch_on(0, &space[0]);
	generation = space[0].generation;
	fake_events = 0;
	ktlb_flush_post(&space[0], 0x1000, 0, 0x1000, 0, &pending);
	ktlb_flush_wait(&pending);
	NOTHING();
	assert_int_equal(space[0].generation, generation);
}

/* ---- gathers ----------------------------------------------------------------------------------*/

/* Several ranges: one change of the generation, one interrupt, each page by itself on both CPUs. */
static void several_ranges_are_one_request(void **unused)
{
	uint64_t generation;

	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	generation = space[0].generation;
	fake_events = 0;
	ktlb_gather_begin(&gather, &space[0]);
	ktlb_gather_add(&gather, 0x1000, 0x1000, 0x1000);
	ktlb_gather_add(&gather, 0x5000, 0x2000, 0x1000);
	ktlb_gather_add(&gather, 0x600000, 0x200000, 0x200000);
	assert_null(ktlb_gather_flush(&gather));
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000}, {FAKE_INVLPG, 0, 0x5000},
	       {FAKE_INVLPG, 0, 0x6000}, {FAKE_INVLPG, 0, 0x600000}, {FAKE_INVLPG, 1, 0x1000},
	       {FAKE_INVLPG, 1, 0x5000}, {FAKE_INVLPG, 1, 0x6000}, {FAKE_INVLPG, 1, 0x600000});
	assert_int_equal(space[0].generation, generation + 1);
	assert_int_equal(count(KTLB_COUNT_FLUSH_GATHER), KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(count(KTLB_COUNT_HANDLED_RANGE), KTLB_CFG_COUNT ? 2 : 0);
}

/* Together as many leaves as the limit: everything, once. */
static void the_limit_is_of_all_ranges(void **unused)
{
	(void)unused;
	for (uint64_t pages = 16; pages <= 17; pages++) {
		switch_on(0, &space[0]);
		fake_events = 0;
		ktlb_gather_begin(&gather, &space[0]);
		ktlb_gather_add(&gather, 0, 17 * 0x1000, 0x1000);
		ktlb_gather_add(&gather, 0x600000, pages * 0x1000, 0x1000);
		ktlb_gather_flush(&gather);
		if (pages == 16)
			assert_int_equal(fake_events, 33);
		else
			EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
	}
	assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), KTLB_CFG_COUNT ? 1 : 0);
}

/* CPU 1 has missed a change before: the ranges of this one are not enough for it. */
static void ranges_are_not_enough_for_two_changes(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	fake_run_on(1);
	space[0].generation++;
	ktlb_gather_begin(&gather, &space[0]);
	ktlb_gather_add(&gather, 0x1000, 0x1000, 0x1000);
	ktlb_gather_add(&gather, 0x5000, 0x1000, 0x1000);
	fake_events = 0;
	ktlb_gather_flush(&gather);
	EXPECT({FAKE_IPI, 1, 0}, {FAKE_CR3, 0, 1 << 20 | 1});
	assert_int_equal(ktlb_cpus[0]->loaded_slot->clean, space[0].generation);
}

static void freed_tables_reach_lazy_cpus(void **unused)
{
	(void)unused;
	for (int tables = 0; tables < 2; tables++) {
		start(4, 1, 1, 1);
		switch_on(0, &space[0]);
		switch_on(1, &space[0]);
		lazy_on(1);
		fake_run_on(0);
		fake_events = 0;
		ktlb_gather_begin(&gather, &space[0]);
		ktlb_gather_add(&gather, 0x1000, 0x1000, 0x1000);
		if (tables)
			ktlb_gather_add_table(&gather, 0x1000, 0x1000);
		ktlb_gather_flush(&gather);
		if (!KTLB_CFG_OPT_LAZY && !KTLB_CFG_OPT_KEEP_MASK_BIT)
			continue; /* it has left the set */
		if (tables && KTLB_CFG_OPT_LAZY)
			EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000},
			       {FAKE_CR3, 1, FAKE_KERNEL_ROOT | KEEP});
		else if (tables)
			EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000});
		else
			EXPECT({FAKE_INVLPG, 0, 0x1000});
	}
}

/* ---- what is kept -----------------------------------------------------------------------------*/

/* While somebody has not answered, he uses the old entry, and the page has not come back. */
static struct ktlb_gather_page page[3];
static int came_back;

static void uses_the_old_entry(void)
{
	assert_false(came_back);
	fake_run_on(1);
	assert_int_equal(fake_touch(5), waits < 2 ? 0 : 1);
	if (++waits == 2)
		ktlb_poll();
}

static void pages_come_back_after_the_last_answer(void **unused)
{
	struct ktlb_gather_page *node;
	unsigned seen = 0;

	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	assert_int_equal(fake_touch(5), 0);
	fake_run_on(0);
	waits = 0;
	came_back = 0;
	fake_no_delivery = 1;
	fake_others = uses_the_old_entry;
	ktlb_gather_begin(&gather, &space[0]);
	fake_version[1][5] = 1;
	ktlb_gather_add(&gather, 0x5000, 0x1000, 0x1000);
	ktlb_gather_add(&gather, 0x9000, 0x1000, 0x1000);
	for (unsigned i = 0; i < 3; i++)
		ktlb_gather_keep(&gather, &page[i]);
	node = ktlb_gather_flush(&gather);
	came_back = 1;
	assert_int_equal(waits, 2);
	for (; node; node = node->next)
		seen |= 1u << (node - page);
	assert_int_equal(seen, 7);
	fake_run_on(1);
	assert_int_equal(fake_touch(5), 1);
}

/* ---- gathers that meet ------------------------------------------------------------------------*/

/*
 * CPU 0 has emptied an entry and not flushed. CPU 1 is to remove it and finds it gone: when its own
 * gather is over, nobody uses the old one.
 */
static void what_looks_unmapped_is_flushed(void **unused)
{
	struct ktlb_gather other;

	(void)unused;
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		switch_on(cpu, &space[0]);
		assert_int_equal(fake_touch(5), 0);
	}
	fake_run_on(0);
	ktlb_gather_begin(&other, &space[0]);
	fake_version[1][5] = 1;
	ktlb_gather_add(&other, 0x5000, 0x1000, 0x1000);

	fake_run_on(1);
	ktlb_gather_begin(&gather, &space[0]);
	ktlb_gather_found_empty(&gather, 0x5000, 0x1000);
	ktlb_gather_flush(&gather);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		fake_run_on(cpu);
		assert_int_equal(fake_touch(5), 1);
	}
	assert_int_equal(count(KTLB_COUNT_GATHER_MET), KTLB_CFG_COUNT ? 1 : 0);

	/* the first one is still open, and then no more */
	assert_int_equal(ktlb_gather_pending(&space[0]), 1);
	fake_run_on(0);
	ktlb_gather_flush(&other);
	assert_int_equal(ktlb_gather_pending(&space[0]), 0);
	fake_run_on(1);
	ktlb_gather_begin(&gather, &space[0]);
	fake_events = 0;
	ktlb_gather_found_empty(&gather, 0x5000, 0x1000);
	ktlb_gather_flush(&gather);
	NOTHING();
}

/* In which order a gather is open, over, and looked for: the accesses and fences around the counter. */
static enum fake_access order[8];
static unsigned orders;

static void note_order(enum fake_access access, const void *p)
{
	if (access == FAKE_FENCE_RELEASE)
		assert_int_equal(space[0].gathers, 1); /* counted before, which no hook shows */
	if ((access >= FAKE_FENCE_ACQUIRE || p == &space[0].gathers) && orders < 8)
		order[orders++] = access;
}

static void barriers_of_a_gather(void **unused)
{
	(void)unused;
	fake_run_on(0);
	fake_access_hook = note_order;
	orders = 0;
	ktlb_gather_begin(&gather, &space[0]);
	assert_int_equal(orders, 1);
	assert_int_equal(order[0], FAKE_FENCE_RELEASE); /* [B40] */
	orders = 0;
	ktlb_gather_found_empty(&gather, 0x5000, 0x1000);
	assert_int_equal(orders, 2);
	assert_int_equal(order[0], FAKE_FENCE_ACQUIRE); /* [B41] */
	assert_int_equal(order[1], FAKE_LOAD_ACQUIRE);
	orders = 0;
	ktlb_gather_pending(&space[0]);
	assert_int_equal(orders, 2);
	assert_int_equal(order[0], FAKE_FENCE_ACQUIRE);
	assert_int_equal(order[1], FAKE_LOAD_ACQUIRE);
	orders = 0;
	ktlb_gather_flush(&gather);
	assert_int_equal(orders, 1);
	assert_int_equal(order[0], FAKE_RMW_RELEASE); /* [B42] */
}

static void secondary_gets_every_range(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	fake_secondary.calls = 0;
	ktlb_gather_begin(&gather, &space[0]);
	ktlb_gather_add(&gather, 0x1000, 0x1000, 0x1000);
	ktlb_gather_add(&gather, 0, 0x1000000, 0x200000);
	ktlb_gather_flush(&gather);
	if (!KTLB_CFG_SECONDARY) {
		assert_int_equal(fake_secondary.calls, 0);
		return;
	}
	assert_int_equal(fake_secondary.calls, 2);
	assert_ptr_equal(fake_secondary.space, &space[0]);
	assert_int_equal(fake_secondary.start, 0);
	assert_int_equal(fake_secondary.size, 0x1000000);
	assert_int_equal(fake_secondary.flags, KTLB_LEAF_ONLY);
}

#define TEST(f) cmocka_unit_test_setup(f, with_pcid)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_post_does_not_wait),
		TEST(a_wait_follows_the_thread),
		TEST(a_later_flush_takes_it_along),
		TEST(nothing_to_post),
		TEST(several_ranges_are_one_request),
		TEST(the_limit_is_of_all_ranges),
		TEST(ranges_are_not_enough_for_two_changes),
		TEST(freed_tables_reach_lazy_cpus),
		TEST(pages_come_back_after_the_last_answer),
		TEST(what_looks_unmapped_is_flushed),
		TEST(barriers_of_a_gather),
		TEST(secondary_gets_every_range),
	};

	return cmocka_run_group_tests_name("gather", tests, 0, 0);
}
