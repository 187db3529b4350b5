/* SPDX-License-Identifier: MIT */
/* x86-64: errata as data, and counts for people. */
#include "unit.h"

#define TOP    (-(uint64_t)0x1000)
#define INTEL  0x756e6547u
#define AMD    0x68747541u
#define GUEST  ((uint64_t)1 << 63)
#define SIG(m) ((uint64_t)((m) >> 4) << 16 | 6u << 8 | ((m)&15u) << 4 | 2)
#define CPU(m, r)                  \
	{                          \
		SIG(m), INTEL, (r) \
	}

static char lines[60][120];
static unsigned printed;

static void keep_line(void *arg, const char *line)
{
	assert_ptr_equal(arg, lines);
	assert_true(printed < 60);
	strcpy(lines[printed++], line);
}

static int prints(const char *line)
{
	for (unsigned i = 0; i < printed; i++)
		if (!strcmp(lines[i], line))
			return 1;
	return 0;
}

/* ---- errata -----------------------------------------------------------------------------------*/

static void who_has_it(void **unused)
{
	static const struct ktlb_identity with[] = {
		CPU(0x97, 0x2d),
		CPU(0x9a, 0x42b),
		CPU(0xbe, 0x10),
		CPU(0xb7, 0x117),
		CPU(0xba, 0),
		CPU(0xbf, 0x2d),
		{SIG(0x97) | GUEST, INTEL, 0xffff},
	};
	static const struct ktlb_identity without[] = {
		CPU(0x97, 0x2e),
		CPU(0x9a, 0x42c),
		CPU(0xbe, 0x11),
		CPU(0xb7, 0x118),
		CPU(0xba, 0x4117),
		CPU(0xbf, 0x2e),
		CPU(0x8f, 0),
		CPU(0xaa, 0),
		CPU(0x07, 0),
		{SIG(0x97), AMD, 0},
		{SIG(0x97) ^ 9u << 8, INTEL, 0},
		{SIG(0x8f) | GUEST, INTEL, 0},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		assert_int_equal(ktlb_errata(&with[i], 1), KTLB_ERRATUM_INVLPG_GLOBAL);
	for (unsigned i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		assert_int_equal(ktlb_errata(&without[i], 1), 0);
	assert_int_equal(ktlb_errata(with, 0), 0);

	/* one of many is enough, wherever it stands */
	for (unsigned i = 0; i < 3; i++) {
		struct ktlb_identity many[3] = {without[0], without[1], without[2]};

		many[i] = with[0];
		assert_int_equal(ktlb_errata(many, 3), KTLB_ERRATUM_INVLPG_GLOBAL);
	}
}

static void begin(uint32_t errata, uint32_t without_errata, int pcid)
{
	const struct ktlb_config config = {.cpus = 2,
	                                   .kernel_root = FAKE_KERNEL_ROOT,
	                                   .errata = errata,
	                                   .without_errata = without_errata};

	fake_power_on(pcid, pcid, 1);
	fake_boot(&config);
}

/* A page of the kernel's half is changed and flushed: does the other CPU see it? */
static int sees_the_change(void)
{
	fake_spares_globals = 1;
	fake_run_on(1);
	fake_touch_kernel(0);
	fake_kernel_version[0] = 1;
	fake_run_on(0);
	fake_events = 0;
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
	fake_run_on(1);
	return fake_touch_kernel(0) == 1;
}

static void worked_around_by_flushing_everything(void **unused)
{
	(void)unused;
	begin(KTLB_ERRATUM_INVLPG_GLOBAL, 0, 1);
	assert_int_equal(ktlb_errata_used(), KTLB_ERRATUM_INVLPG_GLOBAL);
	assert_true(sees_the_change());
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVPCID, 0, 2}, {FAKE_INVPCID, 1, 2});

	/* that it is the workaround which does it */
	begin(0, 0, 1);
	assert_int_equal(ktlb_errata_used(), 0);
	assert_false(sees_the_change());
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, TOP}, {FAKE_INVLPG, 1, TOP});

	/* found, but the kernel knows better */
	begin(KTLB_ERRATUM_INVLPG_GLOBAL, KTLB_ERRATUM_INVLPG_GLOBAL, 1);
	assert_int_equal(ktlb_errata_used(), 0);
	assert_false(sees_the_change());
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, TOP}, {FAKE_INVLPG, 1, TOP});

	/* without PCIDs there is no such erratum, and no price */
	begin(KTLB_ERRATUM_INVLPG_GLOBAL, 0, 0);
	assert_true(sees_the_change());
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, TOP}, {FAKE_INVLPG, 1, TOP});

	/* a page of a user's half never was global */
	begin(KTLB_ERRATUM_INVLPG_GLOBAL, 0, 1);
	new_spaces();
	switch_on(0, &space[0]);
	fake_run_on(0);
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_INVLPG, 0, 0x1000});
}

static void the_print_names_them(void **unused)
{
	static const struct ktlb_identity cpus[] = {CPU(0x97, 0), CPU(0x97, 0), CPU(0xb7, 0)};

	(void)unused;
	begin(KTLB_ERRATUM_INVLPG_GLOBAL, 0, 1);
	printed = 0;
	ktlb_errata_print(cpus, 3, keep_line, lines);
	assert_int_equal(printed, 2);
	assert_true(prints("ktlb: Alder Lake: erratum ADL063, INVLPG spares global entries: "
	                   "worked around"));
	assert_true(prints("ktlb: Raptor Lake: erratum RPL042, INVLPG spares global entries: "
	                   "worked around"));

	begin(KTLB_ERRATUM_INVLPG_GLOBAL, KTLB_ERRATUM_INVLPG_GLOBAL, 1);
	printed = 0;
	ktlb_errata_print(cpus, 1, keep_line, lines);
	assert_int_equal(printed, 1);
	assert_true(prints("ktlb: Alder Lake: erratum ADL063, INVLPG spares global entries: NOT "
	                   "worked around"));

	begin(KTLB_ERRATUM_ALL, 0, 1);
	printed = 0;
	ktlb_errata_print(cpus, 0, keep_line, lines);
	assert_int_equal(printed, 2);
	assert_true(prints("ktlb: erratum INVLPG spares global entries: worked around, because "
	                   "the kernel wants it"));
	assert_true(prints("ktlb: erratum repeat TLBI: worked around, because the kernel wants "
	                   "it"));
}

/* ---- counts -----------------------------------------------------------------------------------*/

static void the_counts_are_printed(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(2, &space[0]);
	switch_on(2, &space[0]);
	fake_run_on(1);
	for (unsigned i = 0; i < 1234; i++)
		ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	ktlb_flush_range(&space[0], 0, 0, 0, 0);
	printed = 0;
	ktlb_stats_print(keep_line, lines);
	if (!KTLB_CFG_COUNT) {
		assert_int_equal(printed, 1);
		assert_true(prints("ktlb: counters are compiled out, KTLB_CFG_COUNT is 0"));
		return;
	}
	assert_true(prints("ktlb: flush_page 1234, most on CPU 1: 1234"));
	assert_true(prints("ktlb: skip_empty 1, most on CPU 1: 1"));
	assert_true(prints("ktlb: switch_same 1, most on CPU 2: 1"));
	for (unsigned i = 0; i < printed; i++)
		assert_null(strstr(lines[i], " 0,")); /* what did not happen is not told */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_it),
		cmocka_unit_test(worked_around_by_flushing_everything),
		cmocka_unit_test(the_print_names_them),
		cmocka_unit_test_setup(the_counts_are_printed, with_pcid),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
