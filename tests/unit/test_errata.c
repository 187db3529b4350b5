/* SPDX-License-Identifier: MIT */
/* arm64: which CPUs have which erratum, what of it is worked around, and by how many operations. */
#include "unit.h"

#include "ktlb_asid_global.h"

#define ARM                     0x41u
#define MIDR(implementer, part) ((uint64_t)(implementer) << 24 | 0xfu << 16 | (uint64_t)(part) << 4)
#define REVISION(r, p)          ((uint64_t)(r) << 20 | (uint64_t)(p))

static uint32_t errata_of(uint64_t midr)
{
	const struct ktlb_identity cpu = {midr, 0, 0};

	return ktlb_errata(&cpu, 1);
}

static void who_has_it(void **unused)
{
	static const uint16_t arm_all[] = {0xd05, 0xd0b, 0xd0c, 0xd0d, 0xd0e, 0xd40, 0xd41, 0xd42,
	                                   0xd44, 0xd47, 0xd48, 0xd49, 0xd4b, 0xd4c, 0xd4e, 0xd4f,
	                                   0xd82, 0xd83, 0xd84, 0xd85, 0xd8c, 0xd90};
	/* A53, A57, A72, A75, A715, A520, A720, A725, C1-Pro, N3 */
	static const uint16_t arm_none[] = {0xd03, 0xd07, 0xd08, 0xd0a, 0xd4d,
	                                    0xd80, 0xd81, 0xd87, 0xd8b, 0xd8e};

	(void)unused;
	for (unsigned i = 0; i < sizeof(arm_all) / sizeof(arm_all[0]); i++) {
		uint64_t midr = MIDR(ARM, arm_all[i]);

		assert_int_equal(errata_of(midr), KTLB_ERRATUM_REPEAT_TLBI);
		assert_int_equal(errata_of(midr | REVISION(15, 15)), KTLB_ERRATUM_REPEAT_TLBI);
		assert_int_equal(errata_of(midr ^ 1u << 25), 0); /* another implementer's */
	}
	for (unsigned i = 0; i < sizeof(arm_none) / sizeof(arm_none[0]); i++)
		assert_int_equal(errata_of(MIDR(ARM, arm_none[i])), 0);

	/* those of which some revisions have it */
	assert_int_equal(errata_of(MIDR(ARM, 0xd46) | REVISION(1, 1)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(ARM, 0xd46) | REVISION(1, 2)), 0);
	assert_int_equal(errata_of(MIDR(0x51, 0x800)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(0x51, 0x800) | REVISION(0, 1)), 0);
	assert_int_equal(errata_of(MIDR(0x51, 0x804) | REVISION(12, 13)), 0);
	assert_int_equal(errata_of(MIDR(0x51, 0x804) | REVISION(12, 14)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(0x51, 0x804) | REVISION(15, 14)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(0x51, 0x804) | REVISION(15, 15)), 0);
	assert_int_equal(errata_of(MIDR(0x51, 0x205)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(0x51, 0x305)), 0);
	assert_int_equal(errata_of(MIDR(0x4e, 0x010)), KTLB_ERRATUM_REPEAT_TLBI);
	assert_int_equal(errata_of(MIDR(0x6d, 0xd49)), KTLB_ERRATUM_REPEAT_TLBI);
}

/* How many TLBIs and DSBs the flush of a page takes. */
static void operations(uint32_t errata, uint32_t without, unsigned tlbi, unsigned dsb)
{
	struct ktlb_config config = {.errata = errata, .without_errata = without};
	static struct ktlb_space space;
	unsigned tlbis = 0, dsbs = 0;

	config.cpus = 1;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	ktlb_space_init(&space, 1 << 20);
	ktlb_switch(&space);
	fake_clear_log();
	ktlb_flush_page(&space, 0x10000, 0);
	for (unsigned i = 0; i < fake_events; i++) {
		tlbis += fake_log[i].op == FAKE_TLBI_VA;
		dsbs += fake_log[i].op == FAKE_DSB_ISH;
	}
	assert_int_equal(tlbis, tlbi);
	assert_int_equal(dsbs, dsb);
	assert_int_equal(ktlb_errata_used(), errata & ~without);
}

static void forced_on_and_off(void **unused)
{
	(void)unused;
	operations(errata_of(MIDR(ARM, 0xd0b)), 0, 2, 2);
	operations(errata_of(MIDR(ARM, 0xd03)), 0, 1, 1);
	operations(KTLB_ERRATUM_REPEAT_TLBI, 0, 2, 2);
	operations(KTLB_ERRATUM_REPEAT_TLBI, KTLB_ERRATUM_REPEAT_TLBI, 1, 1);
	operations(KTLB_ERRATUM_INVLPG_GLOBAL, 0, 1, 1); /* the other architecture's */
}

static char printed[4][120];
static unsigned lines;

static void keep_line(void *arg, const char *line)
{
	assert_ptr_equal(arg, &lines);
	assert_true(lines < 4);
	strcpy(printed[lines++], line);
}

static void the_print_names_them(void **unused)
{
	const struct ktlb_identity cpus[] = {
		{MIDR(ARM, 0xd05), 0, 0}, {MIDR(ARM, 0xd0b) | REVISION(3, 0), 0, 0}, {0, 0, 0}};

	(void)unused;
	operations(KTLB_ERRATUM_REPEAT_TLBI, 0, 2, 2);
	lines = 0;
	ktlb_errata_print(cpus, 3, keep_line, &lines);
	assert_int_equal(lines, 3);
	assert_string_equal(printed[0],
	                    "ktlb: Cortex-A76: erratum 1286807, repeat TLBI: worked around");
	assert_string_equal(printed[1],
	                    "ktlb: Cortex-A55: erratum 2441007, repeat TLBI: worked around");
	assert_string_equal(printed[2], "ktlb: Cortex-A76: erratum 4193800 (CVE-2025-10263), "
	                                "repeat TLBI: worked around");
}

static void unknown_bits(void **unused)
{
	struct ktlb_config config = {.cpus = 1, .without_errata = 1u << 31};

	(void)unused;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_init(&config)),
	                    "ktlb_init: unknown bit in errata or without");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_it),
		cmocka_unit_test(forced_on_and_off),
		cmocka_unit_test(the_print_names_them),
		cmocka_unit_test(unknown_bits),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
