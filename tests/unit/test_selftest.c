/* SPDX-License-Identifier: MIT */
/* ktlb_selftest on the fake arm64 machine: a right port passes, and each wrong one is named. */
#include "unit.h"

#include "ktlb_asid_global.h"

#define CPUS   3
#define SPACES 6

static struct ktlb_space space[SPACES];
static char lines[20][120];
static unsigned printed;
static uint64_t now;

/* The page: its entry, and what each CPU has cached of it. */
static int entry, cached[CPUS], deaf;

static void keep_line(void *arg, const char *line)
{
	(void)arg;
	assert_true(printed < 20);
	strcpy(lines[printed++], line);
}

static int prints(const char *line)
{
	for (unsigned i = 0; i < printed; i++)
		if (!strcmp(lines[i], line))
			return 1;
	return 0;
}

static void run_on(void *arg, uint32_t cpu, void (*function)(void *), void *data)
{
	(void)arg;
	fake_run_on(cpu);
	function(data);
	fake_run_on(0);
}

static uint32_t hardware_cpu(void *arg)
{
	(void)arg;
	return fake_this_number();
}

static uint64_t read_clock(void *arg)
{
	(void)arg;
	return now++;
}

static void show(void *arg, int frame)
{
	(void)arg;
	entry = frame;
}

static int look(void *arg)
{
	int *mine = &cached[fake_this_number()];

	(void)arg;
	if (*mine == KTLB_SELFTEST_NOTHING)
		*mine = entry;
	return *mine;
}

/* A TLBI reaches every CPU but a deaf one. */
static void invalidate(enum fake_op op)
{
	if (op == FAKE_TLBI_VA || op == FAKE_TLBI_ALL)
		for (int cpu = 0; cpu < CPUS; cpu++)
			if (cpu != deaf)
				cached[cpu] = KTLB_SELFTEST_NOTHING;
}

static int selftest(void)
{
	const struct ktlb_selftest_ops ops = {
		.print = keep_line,
		.run_on = run_on,
		.hardware_cpu = hardware_cpu,
		.clock = read_clock,
		.patience = 100,
		.va = -(uint64_t)1 << KTLB_CFG_ARM64_GRANULE_SHIFT,
		.show = show,
		.look = look,
		.space = space,
		.spaces = SPACES,
	};
	int failed;

	printed = 0;
	fake_hook = invalidate;
	failed = ktlb_selftest(&ops);
	fake_hook = 0;
	return failed;
}

static int start(void **unused)
{
	struct ktlb_config config = {.cpus = CPUS};

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < CPUS)
		return 0;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
	entry = KTLB_SELFTEST_NOTHING;
	for (int cpu = 0; cpu < CPUS; cpu++)
		cached[cpu] = KTLB_SELFTEST_NOTHING;
	deaf = CPUS;
	return 0;
}

#define ENOUGH_CPUS()                         \
	do {                                  \
		if (KTLB_CFG_MAX_CPUS < CPUS) \
			skip();               \
	} while (0)

static void a_right_port_passes(void **unused)
{
	(void)unused;
	ENOUGH_CPUS();
	assert_int_equal(selftest(), 0);
	assert_int_equal(printed, 4);
	assert_true(prints("ktlb selftest: numbers: ok, 3 CPUs"));
	assert_true(prints("ktlb selftest: interrupts: none needed, the hardware tells 3 CPUs"));
	assert_true(prints("ktlb selftest: page: ok, a change is seen by 3 CPUs"));
	assert_true(prints("ktlb selftest: ids: ok, spaces have run on 3 CPUs"));

	/* those that are offline are not asked */
	fake_run_on(1);
	ktlb_cpu_offline();
	fake_run_on(0);
	assert_int_equal(selftest(), 0);
	assert_true(prints("ktlb selftest: numbers: ok, 2 CPUs"));
}

static void a_wrong_number_is_named(void **unused)
{
	(void)unused;
	ENOUGH_CPUS();
	if (KTLB_CFG_CPU_ID == KTLB_KERNEL || !KTLB_CFG_OPT_CPU_ID_IN_THREAD)
		skip(); /* the thread says it */
	fake_cpu[2].thread[0] = fake_cpu[2].thread[1] = 1;
	assert_int_equal(selftest(), 1);
	assert_true(prints("ktlb selftest: numbers: FAILED: CPU 2 believes to be CPU 1"));
	assert_true(prints("ktlb selftest: the rest is not run: a flush might never end"));
	assert_int_equal(printed, 2);
}

static void a_flush_that_does_not_reach_all_is_named(void **unused)
{
	(void)unused;
	ENOUGH_CPUS();
	deaf = 1;
	assert_true(selftest() > 0);
	assert_true(prints("ktlb selftest: page: FAILED: CPU 1 still sees a page that has gone"));
	assert_true(prints("ktlb selftest: page: FAILED: CPU 1 sees another page"));
	assert_false(prints("ktlb selftest: page: ok, a change is seen by 3 CPUs"));
	assert_true(prints("ktlb selftest: ids: ok, spaces have run on 3 CPUs"));
}

/* Two spaces with one id: forged after the last CPU has looked. */
static uint32_t forge_on;

static void run_on_and_forge(void *arg, uint32_t cpu, void (*function)(void *), void *data)
{
	run_on(arg, cpu, function, data);
	if (cpu == forge_on && space[5].id)
		space[4].id = space[5].id;
}

static void an_id_of_two_is_named(void **unused)
{
	struct ktlb_selftest_ops ops = {.print = keep_line,
	                                .run_on = run_on_and_forge,
	                                .clock = read_clock,
	                                .va = -(uint64_t)1 << KTLB_CFG_ARM64_GRANULE_SHIFT,
	                                .show = show,
	                                .look = look,
	                                .space = space,
	                                .spaces = SPACES};

	(void)unused;
	ENOUGH_CPUS();
	forge_on = 2;
	printed = 0;
	fake_hook = invalidate;
	assert_int_equal(ktlb_selftest(&ops), 1);
	fake_hook = 0;
	assert_non_null(strstr(lines[3], "ids: FAILED: CPU 2 gave one id to two spaces"));
}

static void needs_init(void **unused)
{
	struct ktlb_selftest_ops ops = {.spaces = 0};

	(void)unused;
	memset(&ktlb_sys, 0, sizeof(ktlb_sys));
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_selftest(&ops)),
	                    "ktlb_selftest: ktlb_init has not run");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_right_port_passes, start),
		cmocka_unit_test_setup(a_wrong_number_is_named, start),
		cmocka_unit_test_setup(a_flush_that_does_not_reach_all_is_named, start),
		cmocka_unit_test_setup(an_id_of_two_is_named, start),
		cmocka_unit_test(needs_init),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
