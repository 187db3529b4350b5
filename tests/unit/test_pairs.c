/* SPDX-License-Identifier: MIT */
/*
 * ASIDs in pairs (KTLB_CFG_SPLIT_IDS): the kernel runs under the even one, user mode under the odd one,
 * and each invalidation of a space names both. The fake machine's TLBs tell if one of them is ever
 * another space's.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define SPACES    40
#define PAGE_SIZE ((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)
#define TWIN      ((uint64_t)1 << 48)

static struct ktlb_space space[SPACES];

static void start(uint32_t cpus, uint32_t bits, uint32_t limit, int ranges)
{
	struct ktlb_config config = {.cpus = cpus, .id_limit = limit};

	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(bits, ranges, 1);
	fake_start(&config, 0, 1);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
}

static void half_of_the_asids_are_numbers(void **unused)
{
	(void)unused;
	start(1, 16, 0, 1);
	assert_int_equal(ktlb_id_limit(), 32768);
	start(1, 8, 0, 1);
	assert_int_equal(ktlb_id_limit(), 128);
	start(1, 8, 5, 1);
	assert_int_equal(ktlb_id_reserve(4), 1);
	assert_int_equal(ktlb_ids_pin(&space[0], 4), 4);
	ktlb_switch(&space[0]);
	assert_int_equal(fake_this()->ttbr1 >> 48, 8); /* its user's is 9 */
}

/* The log: [B2], these invalidations each under both ids, [B4]. */
static void both(enum fake_op op, unsigned times, uint64_t asid)
{
	unsigned i = 0;

	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISHST);
	for (unsigned n = 0; n < times; n++, i += 2) {
		assert_int_equal(fake_log[i].op, op);
		assert_int_equal(fake_log[i].operand >> 48, asid);
		assert_int_equal(fake_log[i + 1].op, op);
		assert_int_equal(fake_log[i + 1].operand, fake_log[i].operand | TWIN);
		assert_int_equal(fake_log[i + 1].flags, fake_log[i].flags);
	}
	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISH);
	assert_int_equal(fake_events, i);
	fake_clear_log();
}

static void each_form_names_both(void **unused)
{
	uint64_t asid;

	(void)unused;
	start(1, 16, 0, 1);
	ktlb_switch(&space[1]);
	ktlb_switch(&space[0]);
	asid = 2 * KTLB_ID_NUMBER(ktlb_space_id(&space[0]));
	fake_clear_log();
	for (uint32_t flags = 0; flags <= KTLB_LEAF_ONLY; flags++) {
		ktlb_flush_page(&space[0], 0x400000, flags);
		both(FAKE_TLBI_VA, 1, asid);
		ktlb_flush_range(&space[0], 0x400000, 64 * PAGE_SIZE, PAGE_SIZE, flags);
		both(FAKE_TLBI_RANGE, 1, asid);
	}
	ktlb_flush_space(&space[0]);
	both(FAKE_TLBI_ID, 1, asid);
	ktlb_fix_spurious(&space[0], 0x400000);
	assert_int_equal(fake_log[1].operand >> 48, asid);
	assert_int_equal(fake_log[2].op, fake_log[1].op);
	assert_int_equal(fake_log[2].operand, fake_log[1].operand | TWIN);
	assert_int_equal(fake_log[3].op, FAKE_DSB_NSH);
	fake_clear_log();
	/* the kernel's half goes whatever the id: once */
	ktlb_flush_kernel_range(-((uint64_t)1 << 30), PAGE_SIZE, PAGE_SIZE, KTLB_LEAF_ONLY);
	assert_int_equal(fake_log[1].op, FAKE_TLBI_VA);
	assert_int_equal(fake_log[1].flags, FAKE_KERNEL | FAKE_LEAF);
	assert_int_equal(fake_log[1].operand >> 48, 0);
	assert_int_equal(fake_log[2].op, FAKE_DSB_ISH);

	start(1, 16, 0, 0);
	ktlb_switch(&space[0]);
	fake_clear_log();
	ktlb_flush_range(&space[0], 0x400000, 7 * PAGE_SIZE, PAGE_SIZE, 0);
	both(FAKE_TLBI_VA, 7, 2);
	ktlb_flush_range(&space[0], 0, 5000 * PAGE_SIZE, PAGE_SIZE, 0);
	both(FAKE_TLBI_ID, 1, 2);
}

/* User mode runs under the odd one; few numbers, many spaces: neither is ever another space's. */
static void no_asid_has_two_owners(void **unused)
{
	(void)unused;
	srand(6);
	start(2, 8, 5, 1);
	for (int i = 0; i < 5000; i++) {
		uint32_t cpu = (uint32_t)rand() % 2, s = (uint32_t)rand() % SPACES;

		fake_run_on(cpu);
		ktlb_switch(&space[s]);
		assert_int_equal(fake_this()->ttbr1 >> 48 & 1, 0);
		fake_event(FAKE_TTBR1, fake_this()->ttbr1 | TWIN, 0);
		assert_int_equal(fake_this()->root_under_id[fake_this()->ttbr1 >> 48],
		                 (uint64_t)(s + 1) << 20);
		fake_event(FAKE_TTBR1, fake_this()->ttbr1 & ~TWIN, 0);
		if (rand() % 4 == 0)
			ktlb_enter_lazy();
		assert_int_equal(fake_aliases, 0);
		assert_null(ktlb_audit());
		fake_clear_log();
	}
	assert_true(ktlb_sys.generation > 100 * KTLB_GENERATION_STEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_asids_are_numbers),
		cmocka_unit_test(each_form_names_both),
		cmocka_unit_test(no_asid_has_two_owners),
	};

	return cmocka_run_group_tests_name("pairs", tests, 0, 0);
}
