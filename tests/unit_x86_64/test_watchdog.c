/* SPDX-License-Identifier: MIT */
/* x86-64: a CPU that does not answer is named, and asked again; one that answers in time is not. */
#include "unit.h"

#define TOP   (-(uint64_t)0x1000)
#define LIMIT 100

static int start_watched(void **unused)
{
	const struct ktlb_config config = {
		.cpus = 4, .kernel_root = FAKE_KERNEL_ROOT, .watchdog = LIMIT};

	(void)unused;
	fake_power_on(1, 1, 1);
	fake_boot(&config);
	fake_clock_step = 1;
	new_spaces();
	return 0;
}

static unsigned turns, answer_at;

/* The others do nothing until the flusher has waited so long. */
static void answer_late(void)
{
	if (++turns == answer_at)
		for (uint32_t cpu = 1; cpu < 4; cpu++) {
			fake_run_on(cpu);
			ktlb_poll();
		}
}

static void late(unsigned when)
{
	turns = 0;
	answer_at = when;
	fake_others = answer_late;
	fake_run_on(0);
	fake_events = 0;
}

static unsigned interrupts_to(uint32_t cpu)
{
	unsigned sent = 0;

	for (unsigned i = 0; i < fake_events; i++)
		sent += fake_log[i].op == FAKE_IPI && fake_log[i].operand == cpu;
	return sent;
}

#define WATCHED()                       \
	do {                            \
		if (!KTLB_CFG_WATCHDOG) \
			skip();         \
	} while (0)

static void in_time_is_not_reported(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	late(LIMIT);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_stucks, 0);
	assert_int_equal(interrupts_to(2), 1);
}

/* Once in each interval: named, with what it runs and what it was asked; and interrupted again. */
static void a_silent_cpu_is_named(void **unused)
{
	(void)unused;
	WATCHED();
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	late(3 * LIMIT + 50);
	ktlb_flush_range(&space[0], 0x3000, 0x2000, 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_stucks, 3);
	assert_int_equal(interrupts_to(2), 1 + 3);
	if (KTLB_CFG_COUNT)
		assert_int_equal(count(KTLB_COUNT_INTERRUPT_AGAIN), 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct ktlb_stuck *s = &fake_stuck[i];

		assert_int_equal(s->cpu, 2);
		assert_int_equal(s->from, 0);
		assert_int_equal(s->times, i + 1);
		assert_int_equal(s->now - s->since, (i + 1) * LIMIT);
		assert_ptr_equal(s->loaded, &space[0]);
		assert_int_equal(s->lazy, 0);
		assert_int_equal(s->switching, 0);
		assert_int_equal(s->queued, 1);
		assert_ptr_equal(s->space, &space[0]);
		assert_int_equal(s->va, 0x3000);
		assert_int_equal(s->pages, 2);
		assert_int_equal(s->spans, 0);
		assert_int_equal(s->generation, space[0].generation);
		assert_int_equal(s->sequence, fake_state(0)->request.sequence);
	}
}

static void what_it_says_of_itself(void **unused)
{
	(void)unused;
	WATCHED();
	/* lazy, asked because tables may have gone */
	switch_on(1, &space[0]);
	lazy_on(1);
	late(LIMIT + 2);
	if (KTLB_CFG_OPT_LAZY) {
		ktlb_flush_space(&space[0]);
		assert_int_equal(fake_stucks, 1);
		assert_int_equal(fake_stuck[0].cpu, 1);
		assert_int_equal(fake_stuck[0].lazy, 1);
		assert_int_equal(fake_stuck[0].pages, 0);
	}

	/* between two roots; the kernel's half; each of those that are silent has its own time */
	start_watched(0);
	fake_state(1)->loaded = KTLB_SWITCHING;
	late(LIMIT + 2);
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_stucks, 1);
	assert_int_equal(fake_stuck[0].switching, 1);
	assert_null(fake_stuck[0].loaded);
	assert_null(fake_stuck[0].space);
	assert_int_equal(fake_stuck[0].va, TOP);
}

/* The interrupt is lost once: the watchdog's is the one that arrives. */
static void take_interrupts(void)
{
	fake_run_on(2);
	fake_interrupt();
}

static void a_lost_interrupt_is_made_good(void **unused)
{
	(void)unused;
	WATCHED();
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	late(0);
	fake_others = take_interrupts;
	fake_loses = 1;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_stucks, 1);
	assert_int_equal(fake_stuck[0].queued, 1);
	assert_int_equal(interrupts_to(2), 2);
}

/* One more than needed, when the queue is empty or closed, does nothing. */
static void an_interrupt_too_many_is_harmless(void **unused)
{
	(void)unused;
	switch_on(2, &space[0]);
	fake_run_on(2);
	fake_this()->irqs_off = 1;
	fake_events = 0;
	ktlb_handle_ipi();
	NOTHING();
	ktlb_cpu_offline();
	fake_events = 0;
	ktlb_handle_ipi();
	NOTHING();
	ktlb_cpu_online(2, fake_state(2));
	fake_this()->irqs_off = 0;
}

/* The thread is moved to the CPU that it waits for: no interrupt to itself, it serves by polling. */
static void nobody_does_anything(void)
{
}

static void a_moved_thread_interrupts_others_only(void **unused)
{
	const struct ktlb_cpu *from = fake_state(0);

	(void)unused;
	WATCHED();
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	late(0);
	fake_others = nobody_does_anything;
	fake_moves_to = 2;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_this_number(), 2);
	assert_int_equal(fake_stucks, 1);
	assert_int_equal(interrupts_to(2), 1);
	assert_int_equal(from->call[2].done, from->request.sequence);
}

/* Without a limit it waits as ever. */
static void no_limit_no_report(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	late(1000);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(turns, 1000);
	assert_int_equal(fake_stucks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_time_is_not_reported, start_watched),
		cmocka_unit_test_setup(a_silent_cpu_is_named, start_watched),
		cmocka_unit_test_setup(what_it_says_of_itself, start_watched),
		cmocka_unit_test_setup(a_lost_interrupt_is_made_good, start_watched),
		cmocka_unit_test_setup(an_interrupt_too_many_is_harmless, start_watched),
		cmocka_unit_test_setup(a_moved_thread_interrupts_others_only, start_watched),
		cmocka_unit_test_setup(no_limit_no_report, with_pcid),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
