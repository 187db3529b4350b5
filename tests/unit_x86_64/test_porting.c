/* SPDX-License-Identifier: MIT */
/* ktlb_selftest on the fake x86-64 machine: a right port passes, and each wrong one is named. */
#include "unit.h"

#include <stdio.h>

#define CPUS 4
#define TOP  (-(uint64_t)0x1000)

static char lines[30][120];
static unsigned printed;
static uint64_t now;
static int entry;
static uint32_t lost_to; /* a CPU that no interrupt reaches; 0: none */

static void keep_line(void *arg, const char *line)
{
	(void)arg;
	assert_true(printed < 30);
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
	fake_this()->irqs_off = 1;
	function(data);
	fake_this()->irqs_off = 0;
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

/* The fake's versions: 2 and 3 are the frames, 0 is nothing, which is never cached. */
static void show(void *arg, int frame)
{
	(void)arg;
	entry = frame;
	fake_kernel_version[0] = (uint64_t)(frame + 2);
}

static int look(void *arg)
{
	struct fake_cpu *c = fake_this();
	uint64_t *global = &c->kernel[FAKE_GLOBAL][0];

	(void)arg;
	if (entry == KTLB_SELFTEST_NOTHING && !*global)
		return KTLB_SELFTEST_NOTHING;
	return (int)fake_touch_kernel(0) - 2;
}

static void others(void)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		fake_run_on(cpu);
		if (lost_to && cpu == lost_to)
			fake_this()->ipi = 0;
		fake_interrupt();
	}
}

static int selftest(void)
{
	const struct ktlb_selftest_ops ops = {
		.print = keep_line,
		.run_on = run_on,
		.hardware_cpu = hardware_cpu,
		.clock = read_clock,
		.patience = 100,
		.va = TOP,
		.show = show,
		.look = look,
		.space = space,
		.spaces = SPACES,
	};

	printed = 0;
	fake_others = others;
	return ktlb_selftest(&ops);
}

static int prepare(void **unused)
{
	with_pcid(unused);
	lost_to = 0;
	return 0;
}

static void a_right_port_passes(void **unused)
{
	(void)unused;
	assert_int_equal(selftest(), 0);
	assert_int_equal(printed, 4);
	assert_true(prints("ktlb selftest: numbers: ok, 4 CPUs"));
	assert_true(prints("ktlb selftest: interrupts: ok, round trips to 4 CPUs"));
	assert_true(prints("ktlb selftest: page: ok, a change is seen by 4 CPUs"));
	assert_true(prints("ktlb selftest: ids: ok, spaces have run on 4 CPUs"));

	without_pcid(0);
	assert_int_equal(selftest(), 0);
}

/* The GS base of CPU 2 is CPU 1's. */
static void a_wrong_base_is_named(void **unused)
{
	uint64_t base = fake_cpu[2].gs_base;

	(void)unused;
	fake_cpu[2].gs_base = fake_cpu[1].gs_base;
	assert_int_equal(selftest(), 2);
	assert_true(prints("ktlb selftest: numbers: FAILED: CPU 2 believes to be CPU 1"));
	assert_true(prints("ktlb selftest: numbers: FAILED: CPU 2 finds another CPU's state"));
	assert_true(prints("ktlb selftest: the rest is not run: a flush might never end"));
	assert_int_equal(printed, 3);
	fake_cpu[2].gs_base = base;
}

static uint32_t wrong_hardware(uint32_t cpu)
{
	return cpu == 3 ? 0 : cpu;
}

/* The kernel's function to run something on a CPU runs it elsewhere: the hardware tells. */
static void run_on_another(void *arg, uint32_t cpu, void (*function)(void *), void *data)
{
	run_on(arg, wrong_hardware(cpu), function, data);
}

static void another_cpu_is_named(void **unused)
{
	const struct ktlb_selftest_ops ops = {.print = keep_line,
	                                      .run_on = run_on_another,
	                                      .hardware_cpu = hardware_cpu,
	                                      .clock = read_clock};

	(void)unused;
	printed = 0;
	assert_int_equal(ktlb_selftest(&ops), 3);
	assert_true(
		prints("ktlb selftest: numbers: FAILED: CPU 3 is, as the hardware says, CPU 0"));
}

/* The vector is wrong on one CPU: it is named, nothing hangs, and what was asked is served. */
static void a_lost_interrupt_is_named(void **unused)
{
	(void)unused;
	lost_to = 2;
	assert_int_equal(selftest(), 1);
	assert_true(prints("ktlb selftest: numbers: ok, 4 CPUs"));
	assert_true(
		prints("ktlb selftest: interrupts: FAILED: CPU 2 does not answer an interrupt"));
	assert_true(prints("ktlb selftest: the rest is not run: a flush might never end"));
	assert_int_equal(printed, 3);
	assert_null(fake_state(2)->queue);
	assert_int_equal(fake_state(0)->call[2].done, 2); /* CPUs 1, 2, 3 were asked in turn */
}

/* INVLPG spares global entries, and nobody has told ktlb. */
static void a_flush_without_effect_is_named(void **unused)
{
	(void)unused;
	fake_spares_globals = 1;
	assert_true(selftest() > 0);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		char line[120];

		snprintf(line, sizeof(line),
		         "ktlb selftest: page: FAILED: CPU %u still sees a page that has gone",
		         cpu);
		assert_true(prints(line));
	}
	assert_true(prints("ktlb selftest: ids: ok, spaces have run on 4 CPUs"));
}

static void an_id_of_two_is_named(void **unused)
{
	const struct ktlb_selftest_ops ops = {.print = keep_line,
	                                      .run_on = run_on,
	                                      .clock = read_clock,
	                                      .patience = 100,
	                                      .va = TOP,
	                                      .show = show,
	                                      .look = look,
	                                      .space = space,
	                                      .spaces = SPACES};

	(void)unused;
	printed = 0;
	fake_others = others;
	space[2].id = space[1].id; /* two spaces with one id */
	assert_true(ktlb_selftest(&ops) > 0);
	assert_non_null(strstr(lines[3], "gave one id to two spaces"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_right_port_passes, prepare),
		cmocka_unit_test_setup(a_wrong_base_is_named, prepare),
		cmocka_unit_test_setup(another_cpu_is_named, prepare),
		cmocka_unit_test_setup(a_lost_interrupt_is_named, prepare),
		cmocka_unit_test_setup(a_flush_without_effect_is_named, prepare),
		cmocka_unit_test_setup(an_id_of_two_is_named, prepare),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
