/* SPDX-License-Identifier: MIT */
/*
 * arm64, CPUs that go and come back: what one completes and gives up, what a rollover keeps for it, and
 * that nothing of its former life is left when it is back.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define SPACES 8

static struct ktlb_space space[SPACES];

static int start(void **unused)
{
	/* as few ids as can be: two CPUs keep one each at a rollover, and one more must be free */
	struct ktlb_config config = {.cpus = 2, .id_limit = 4};

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2)
		return 0;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(8, 1, 1);
	fake_start(&config, 0, 1);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
	return 0;
}

#define TWO_CPUS()                         \
	do {                               \
		if (KTLB_CFG_MAX_CPUS < 2) \
			skip();            \
	} while (0)

static uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

static void switch_on(uint32_t cpu, struct ktlb_space *to)
{
	fake_run_on(cpu);
	ktlb_switch(to);
}

static void reset(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_this()->tpidr = 0;
	fake_this()->ttbr0 = 0;
	for (uint64_t id = 0; id < 256; id++)
		fake_this()->root_under_id[id] = 0xdead000;
}

/* Completed, the root gone, then out of sight of rollovers: in this order. */
static int locked;

static void gone_before_the_lock(enum fake_op op)
{
	if (op != FAKE_LOCK || locked)
		return;
	locked = 1;
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISH); /* [B1] */
	assert_int_equal(fake_cpu[1].ttbr0, FAKE_EMPTY_TABLE);
	assert_int_equal(fake_log[fake_events - 1].op, FAKE_ISB); /* [B6] */
	assert_null(fake_state(1)->loaded);
	assert_true(ktlb_cpuset_has(&ktlb_online, 1));
}

static void completes_then_leaves_then_hides(void **unused)
{
	(void)unused;
	TWO_CPUS();
	switch_on(1, &space[0]);
	fake_clear_log();
	locked = 0;
	fake_hook = gone_before_the_lock;
	ktlb_cpu_offline();
	fake_hook = 0;
	assert_true(locked);
	assert_false(ktlb_cpuset_has(&ktlb_online, 1));
	assert_ptr_equal(ktlb_cpus[1], fake_state(1));
}

/* Lazy already: what it has begun is completed all the same. */
static void completes_without_a_space(void **unused)
{
	(void)unused;
	TWO_CPUS();
	fake_run_on(1);
	fake_clear_log();
	ktlb_cpu_offline();
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISH);
}

/* With 3 numbers: CPU 0 keeps one, and two others are free after a rollover if CPU 1 keeps none. */
static void a_rollover_keeps_nothing_for_it(void **unused)
{
	uint64_t rollovers;

	(void)unused;
	TWO_CPUS();
	switch_on(1, &space[0]);
	switch_on(0, &space[1]);
	switch_on(0, &space[2]);
	fake_run_on(1);
	ktlb_cpu_offline();
	switch_on(0, &space[3]); /* rolls over */
	rollovers = count(KTLB_COUNT_ROLLOVER);
	switch_on(0, &space[4]);
	if (KTLB_CFG_COUNT)
		assert_int_equal(count(KTLB_COUNT_ROLLOVER), rollovers);
	assert_int_equal(fake_state(1)->active, 0);
	assert_int_equal(fake_state(1)->reserved, 0);
	assert_null(ktlb_audit());
	assert_int_equal(fake_aliases, 0);
}

/* One that it kept since a rollover, and the debt that goes with it, go. */
static void gives_up_what_it_kept(void **unused)
{
	(void)unused;
	TWO_CPUS();
	switch_on(1, &space[0]);
	switch_on(0, &space[1]);
	switch_on(0, &space[2]);
	switch_on(0, &space[3]); /* rolls over: CPU 1 keeps a number */
	assert_int_not_equal(fake_state(1)->reserved, 0);
	fake_run_on(1);
	ktlb_cpu_offline();
	assert_int_equal(fake_state(1)->reserved, 0);
	assert_int_equal(fake_state(1)->leaving, 0);
	fake_run_on(0);
	for (uint32_t i = 0; i < 40; i++)
		switch_on(0, &space[i % SPACES]);
	assert_null(ktlb_audit());
	assert_int_equal(fake_aliases, 0);
}

static void comes_back_with_nothing(void **unused)
{
	uint64_t generation, counted;
	unsigned emptied = 0;

	(void)unused;
	TWO_CPUS();
	switch_on(1, &space[0]);
	ktlb_cpu_offline();
	for (uint32_t i = 0; i < 20; i++)
		switch_on(0, &space[i % SPACES]);
	generation = ktlb_sys.generation;
	counted = count(KTLB_COUNT_ROLLOVER);

	reset(1);
	fake_clear_log();
	ktlb_cpu_online(1, fake_state(1));
	for (unsigned i = 0; i < fake_events; i++)
		emptied += fake_log[i].op == FAKE_TLBI_OWN;
	assert_int_equal(emptied, 1);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
	assert_true(ktlb_cpuset_has(&ktlb_online, 1));
	assert_int_equal(ktlb_sys.generation, generation);
	assert_int_equal(count(KTLB_COUNT_ROLLOVER), counted);

	switch_on(1, &space[0]);
	assert_int_equal(fake_aliases, 0);
	assert_null(ktlb_audit());

	/* and a rollover keeps its number again */
	for (uint32_t i = 1; i < 20; i++)
		switch_on(0, &space[1 + i % (SPACES - 1)]);
	assert_int_not_equal(fake_state(1)->reserved, 0);
	assert_int_equal(fake_aliases, 0);
}

static void suspend_remembers_the_space(void **unused)
{
	struct ktlb_suspended suspended;

	(void)unused;
	TWO_CPUS();
	switch_on(1, &space[0]);
	ktlb_cpu_suspend(&suspended);
	assert_ptr_equal(suspended.space, &space[0]);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
	reset(1);
	ktlb_cpu_resume(&suspended);
	assert_int_equal(fake_this()->ttbr0 & 0xfffffffffffe, 1 << 20);

	ktlb_enter_lazy();
	ktlb_cpu_suspend(&suspended);
	assert_null(suspended.space);
	reset(1);
	ktlb_cpu_resume(&suspended);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
	assert_null(ktlb_audit());
}

#define FAILS(statement, sentence) assert_string_equal(FAKE_SENTENCE_OF(statement), sentence)

static void misuse(void **unused)
{
	static struct ktlb_cpu other;
	struct ktlb_suspended suspended;

	(void)unused;
	TWO_CPUS();
	memset(&other, 0, sizeof(other));
	switch_on(1, &space[0]);
	fake_this()->irqs_off = 0;
	FAILS(ktlb_cpu_offline(), "ktlb_cpu_offline: interrupts must be off");
	FAILS(ktlb_cpu_suspend(&suspended), "ktlb_cpu_suspend: interrupts must be off");
	fake_this()->irqs_off = 1;
	ktlb_cpu_offline();
	FAILS(ktlb_cpu_offline(), "ktlb_cpu_offline: this CPU is not online");
	FAILS(ktlb_cpu_suspend(&suspended), "ktlb_cpu_suspend: this CPU is not online");
	FAILS(ktlb_switch(&space[0]), "ktlb_switch: this CPU is not online");
	if (KTLB_CFG_CHECK)
		FAILS(ktlb_enter_lazy(), "ktlb_enter_lazy: this CPU is not online");
	if (KTLB_CFG_PERCPU == KTLB_OWN && KTLB_CFG_CPU_ID == KTLB_OWN)
		FAILS(ktlb_cpu_online(1, &other),
		      "ktlb_cpu_online: a CPU that comes back must bring the state that it had");
	start(0);
	fake_run_on(1);
	ktlb_cpu_offline();
	memset(fake_state(1), 0, sizeof(other));
	FAILS(ktlb_cpu_online(1, fake_state(1)),
	      "ktlb_cpu_online: a CPU that comes back must bring the state that it had");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(completes_then_leaves_then_hides, start),
		cmocka_unit_test_setup(completes_without_a_space, start),
		cmocka_unit_test_setup(a_rollover_keeps_nothing_for_it, start),
		cmocka_unit_test_setup(gives_up_what_it_kept, start),
		cmocka_unit_test_setup(comes_back_with_nothing, start),
		cmocka_unit_test_setup(suspend_remembers_the_space, start),
		cmocka_unit_test_setup(misuse, start),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
