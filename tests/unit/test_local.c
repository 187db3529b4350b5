/* SPDX-License-Identifier: MIT */
/*
 * KTLB_CFG_ARM64_LOCAL: whose flush is for this CPU alone, and the moment at which that ends. Hooks put
 * another CPU's first switch between the steps of a flush, and a flush between the steps of that switch;
 * one of the two must see the other.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define PAGE_SIZE ((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)

static struct ktlb_space space, other;

static void start_with(uint32_t errata)
{
	struct ktlb_config config = {.cpus = 3, .errata = errata};

	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&other, 0, sizeof(other));
	ktlb_space_init(&space, 1 << 20);
	ktlb_space_init(&other, 2 << 20);
}

static int start(void **unused)
{
	(void)unused;
	start_with(0);
	return 0;
}

static void run(uint32_t cpu, struct ktlb_space *to)
{
	fake_run_on(cpu);
	ktlb_switch(to);
	fake_clear_log();
}

static int is_local(enum fake_op op)
{
	return op == FAKE_TLBI_VA_OWN || op == FAKE_TLBI_RANGE_OWN || op == FAKE_TLBI_ID_OWN;
}

static int is_broadcast(enum fake_op op)
{
	return op == FAKE_TLBI_VA || op == FAKE_TLBI_RANGE || op == FAKE_TLBI_ID;
}

static unsigned locals, broadcasts;

static void count_ops(void)
{
	locals = broadcasts = 0;
	for (unsigned i = 0; i < fake_events; i++) {
		locals += (unsigned)is_local(fake_log[i].op);
		broadcasts += (unsigned)is_broadcast(fake_log[i].op);
	}
}

static void flush_page_is(int local)
{
	fake_clear_log();
	ktlb_flush_page(&space, 0x400000, 0);
	count_ops();
	assert_int_equal(locals, local);
	assert_int_equal(broadcasts, !local);
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISHST);
	assert_int_equal(fake_log[2].op, local ? FAKE_DSB_NSH : FAKE_DSB_ISH);
	fake_clear_log();
}

static uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

static void by_the_only_cpu(void **unused)
{
	struct ktlb_gather gather;
	uint64_t id;

	(void)unused;
	run(0, &space);
	id = KTLB_ID_NUMBER(ktlb_space_id(&space)) << 48;
	flush_page_is(1);
	ktlb_flush_page(&space, 0x400000, KTLB_LEAF_ONLY);
	assert_int_equal(fake_log[1].op, FAKE_TLBI_VA_OWN);
	assert_int_equal(fake_log[1].flags, FAKE_LEAF);
	assert_int_equal(fake_log[1].operand >> 48, id >> 48);
	fake_clear_log();
	ktlb_flush_range(&space, 0x400000, 64 * PAGE_SIZE, PAGE_SIZE, 0);
	assert_int_equal(fake_log[1].op, FAKE_TLBI_RANGE_OWN);
	assert_int_equal(fake_log[2].op, FAKE_DSB_NSH);
	fake_clear_log();
	ktlb_flush_space(&space);
	assert_int_equal(fake_log[1].op, FAKE_TLBI_ID_OWN);
	assert_int_equal(fake_log[1].operand, id);
	assert_int_equal(fake_log[2].op, FAKE_DSB_NSH);
	fake_clear_log();
	assert_int_equal(count(KTLB_COUNT_FLUSH_LOCAL), 4);
	/* also while it runs something else, or nothing, here */
	run(0, &other);
	flush_page_is(1);
	ktlb_enter_lazy();
	flush_page_is(1);
	/* a gather: here, and completed by the wait's DSB */
	fake_clear_log();
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, 0x400000, PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_flush(&gather);
	count_ops();
	assert_int_equal(locals, 1);
	assert_int_equal(broadcasts, 0);
	assert_int_equal(fake_log[fake_events - 1].op, FAKE_DSB_ISH);
	/* the kernel's half is everybody's */
	fake_clear_log();
	ktlb_flush_kernel_range(-((uint64_t)1 << 30), PAGE_SIZE, PAGE_SIZE, 0);
	assert_int_equal(fake_log[1].op, FAKE_TLBI_VA);
}

static void everybody_elses_is_broadcast(void **unused)
{
	(void)unused;
	run(0, &space);
	fake_run_on(1);
	flush_page_is(0);
	/* once it has run elsewhere, for ever */
	run(1, &space);
	flush_page_is(0);
	run(1, &other);
	fake_run_on(0);
	flush_page_is(0);
	assert_int_equal(space.owner, KTLB_OWNED_BY_ALL);
	/* until it begins anew */
	ktlb_enter_lazy();
	ktlb_space_destroy(&space);
	ktlb_space_init(&space, 1 << 20);
	run(2, &space);
	flush_page_is(1);
}

/* A CPU that is not online is nobody: its blank state says CPU 0. */
static void not_online(void **unused)
{
	(void)unused;
	run(0, &space);
	fake_run_on(KTLB_CFG_MAX_CPUS - 1);
	assert_int_equal(ktlb_cpu_self()->number, 0);
	flush_page_is(0);
}

static void a_pin_is_somebody_else(void **unused)
{
	(void)unused;
	run(0, &space);
	flush_page_is(1);
	assert_int_not_equal(ktlb_ids_pin(&space, 0), 0);
	flush_page_is(0);
	run(0, &other);
	run(0, &space);
	flush_page_is(0);
}

static void interrupts_are_off_in_between(enum fake_op op)
{
	if (is_local(op) || op == FAKE_DSB_NSH)
		assert_int_equal(fake_this()->irqs_off, 1);
}

static void interrupts(void **unused)
{
	(void)unused;
	run(0, &space);
	for (int off = 0; off < 2; off++) {
		fake_this()->irqs_off = off;
		fake_hook = interrupts_are_off_in_between;
		ktlb_flush_page(&space, 0, 0);
		ktlb_flush_range(&space, 0, 3 * PAGE_SIZE, PAGE_SIZE, 0);
		ktlb_flush_space(&space);
		fake_hook = 0;
		assert_int_equal(fake_this()->irqs_off, off);
		fake_run_on(1);
		fake_this()->irqs_off = off;
		ktlb_flush_page(&space, 0, 0);
		assert_int_equal(fake_this()->irqs_off, off);
		fake_run_on(0);
	}
	fake_this()->irqs_off = 1;
}

static void the_erratum(void **unused)
{
	(void)unused;
	start_with(KTLB_ERRATUM_REPEAT_TLBI);
	run(0, &space);
	ktlb_flush_page(&space, 0, 0);
	count_ops();
	assert_int_equal(locals, 2);
	assert_int_equal(broadcasts, 0);
	assert_int_equal(fake_log[fake_events - 1].op, FAKE_DSB_NSH);
}

/*
 * At each step of a flush by the owner another CPU switches to the space for the first time. A flush
 * that is not broadcast must have come to its [B2] before, so that the walks there see the change.
 */
static unsigned step, steps;
static int entered, changes_seen;

static void enter_at_step(enum fake_op op)
{
	if (fake_this_number() != 0 || step++ != steps)
		return;
	changes_seen = fake_events > 0 && fake_log[0].op == FAKE_DSB_ISHST;
	entered = 1;
	(void)op;
	fake_run_on(1);
	ktlb_switch(&space);
}

static void a_cpu_enters_during_a_flush(void **unused)
{
	int was_local = 0, was_broadcast = 0;

	(void)unused;
	for (steps = 0; steps < 6; steps++) {
		start_with(0);
		run(0, &space);
		step = 0;
		entered = changes_seen = 0;
		fake_hook = enter_at_step;
		ktlb_flush_page(&space, 0x400000, 0);
		fake_hook = 0;
		count_ops();
		if (entered && !changes_seen)
			assert_int_equal(broadcasts, 1);
		was_local |= entered && locals;
		was_broadcast |= entered && broadcasts;
	}
	assert_true(was_local && was_broadcast);
}

/* The other way round: a flush between the steps of the first switch. */
static int owner_at_barrier;
static unsigned flushed;
static int root_was_there;

static void flush_at_step(enum fake_op op)
{
	if (fake_this_number() != 1 || step++ != steps)
		return;
	(void)op;
	root_was_there = (fake_this()->ttbr0 & 0xffffffffffff) == 1 << 20;
	fake_run_on(0);
	fake_clear_log();
	ktlb_flush_page(&space, 0x400000, 0);
	count_ops();
	flushed = 1;
}

static void note_owner(enum fake_op op)
{
	if (op == FAKE_DSB_ISH && fake_events > 0)
		owner_at_barrier |= space.owner == KTLB_OWNED_BY_ALL;
	/* the new root only after the barrier after the owner */
	if (op == FAKE_TTBR0)
		assert_true(owner_at_barrier);
}

static void a_flush_during_the_first_switch(void **unused)
{
	unsigned roots = 0;

	(void)unused;
	run(0, &space);
	fake_run_on(1);
	owner_at_barrier = 0;
	fake_hook = note_owner;
	ktlb_switch(&space);
	fake_hook = 0;
	assert_true(owner_at_barrier);

	for (steps = 0; steps < 8; steps++) {
		start_with(0);
		run(0, &space);
		fake_run_on(1);
		step = flushed = 0;
		fake_hook = flush_at_step;
		ktlb_switch(&space);
		fake_hook = 0;
		/* once the root is there it is broadcast; a flush that is not has come before */
		if (flushed && root_was_there)
			assert_int_equal(broadcasts, 1);
		roots += flushed && root_was_there;
	}
	assert_true(roots > 0);
	fake_run_on(0);
	flush_page_is(0);
}

/* Two CPUs are the first at once. */
static void second_is_faster(enum fake_op op)
{
	if (op != FAKE_CAS || fake_this_number() != 0 || space.owner != 0 || step++)
		return;
	fake_run_on(1);
	ktlb_switch(&space);
}

static void two_are_the_first(void **unused)
{
	(void)unused;
	step = 0;
	fake_hook = second_is_faster;
	ktlb_switch(&space);
	fake_hook = 0;
	assert_int_equal(step, 1);
	assert_int_equal(space.owner, KTLB_OWNED_BY_ALL);
	flush_page_is(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_the_only_cpu, start),
		cmocka_unit_test_setup(everybody_elses_is_broadcast, start),
		cmocka_unit_test_setup(not_online, start),
		cmocka_unit_test_setup(a_pin_is_somebody_else, start),
		cmocka_unit_test_setup(interrupts, start),
		cmocka_unit_test(the_erratum),
		cmocka_unit_test(a_cpu_enters_during_a_flush),
		cmocka_unit_test_setup(a_flush_during_the_first_switch, start),
		cmocka_unit_test_setup(two_are_the_first, start),
	};

	return cmocka_run_group_tests_name("local", tests, 0, 0);
}
