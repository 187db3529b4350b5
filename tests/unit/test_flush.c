/* SPDX-License-Identifier: MIT */
/*
 * Which instructions a flush is, and in which order. The grammar of a user's flush:
 *
 *     DSB ISHST   TLBI+   DSB ISH   (with the erratum: TLBI   DSB ISH)
 *
 * and of the kernel's the same with an ISB at the end. The pages that the TLBIs name are compared
 * with those asked for, for every value of KTLB_CFG_TLBI_RANGE.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define PAGE_SIZE  ((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)
#define BLOCK_SIZE ((uint64_t)1 << (2 * KTLB_ARCH_PAGE_SHIFT - 3))
#define TOP        (-(uint64_t)0) /* the end of the kernel's half is 2^64 */

static struct ktlb_space space, idle_space;

static void start(int ranges, int hints, const struct ktlb_config *extra)
{
	struct ktlb_config config = {0};

	if (extra)
		config = *extra;
	config.cpus = 1;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, ranges, hints);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&idle_space, 0, sizeof(idle_space));
	ktlb_space_init(&space, 1 << 20);
	ktlb_space_init(&idle_space, 2 << 20);
	for (int i = 0; i < 41; i++) { /* so that the number is 42, not 1 */
		struct ktlb_space other = {.root = 0};

		ktlb_space_init(&other, (uint64_t)(3 + i) << 20);
		ktlb_switch(&other);
		ktlb_enter_lazy();
	}
	ktlb_switch(&space);
	assert_int_equal(KTLB_ID_NUMBER(ktlb_space_id(&space)), 42);
	fake_clear_log();
}

static int ranges(void **unused)
{
	(void)unused;
	start(1, 1, 0);
	return 0;
}

static int no_ranges(void **unused)
{
	(void)unused;
	start(0, 1, 0);
	return 0;
}

/* The bytes that one TLBI covers, and whether it is one that the log should have here. */
static uint64_t covered(const struct fake_event *e, uint64_t expected_va, uint64_t id,
                        uint32_t flags, uint64_t leaf_size)
{
	uint64_t base;

	assert_int_equal(e->flags, flags);
	assert_int_equal(e->operand >> 48, id);
	if (e->op == FAKE_TLBI_VA) {
		base = (e->operand & 0xfffffffffffull) << 12;
		assert_int_equal(base, expected_va & 0xffffffffffffffull);
		return leaf_size;
	}
	assert_int_equal(e->op, FAKE_TLBI_RANGE);
	base = (e->operand & 0x1fffffffffull) << (KTLB_CFG_ARM64_LPA2 ? 16 : KTLB_ARCH_PAGE_SHIFT);
	assert_int_equal(base,
	                 expected_va & ((0x1fffffffffull
	                                 << (KTLB_CFG_ARM64_LPA2 ? 16 : KTLB_ARCH_PAGE_SHIFT)) |
	                                0xfff));
	return PAGE_SIZE * ((e->operand >> 39 & 31) + 1) << (5 * (e->operand >> 44 & 3) + 1);
}

/* The log is one flush of exactly [start, start + size), in TLBIs of these flags. */
static void is_flush(uint64_t start_va, uint64_t size, uint64_t id, uint32_t flags,
                     uint64_t leaf_size)
{
	uint64_t done = 0;
	unsigned i = 0;

	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISHST);
	while (fake_log[i].op == FAKE_TLBI_VA || fake_log[i].op == FAKE_TLBI_RANGE) {
		uint64_t step = leaf_size;

		/* In a range's plan, what goes by address is a page. */
		if (fake_log[i].op == FAKE_TLBI_VA && fake_log[1].op == FAKE_TLBI_RANGE)
			step = PAGE_SIZE;
		done += covered(&fake_log[i], start_va + done, id, flags, step);
		i++;
	}
	if (KTLB_CFG_TLBI_COVER == KTLB_COVER_EXACT || done < size)
		assert_int_equal(done, size);
	assert_true(done < 2 * size); /* test_cover.c knows more of what is rounded */
	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISH);
	if (flags & FAKE_KERNEL)
		assert_int_equal(fake_log[i++].op, FAKE_ISB);
	assert_int_equal(fake_events, i);
	fake_clear_log();
}

static void is_full_flush(enum fake_op op, uint64_t operand)
{
	unsigned i = 0;

	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISHST);
	assert_int_equal(fake_log[i].op, op);
	assert_int_equal(fake_log[i++].operand, operand);
	assert_int_equal(fake_log[i++].op, FAKE_DSB_ISH);
	if (op == FAKE_TLBI_ALL)
		assert_int_equal(fake_log[i++].op, FAKE_ISB);
	assert_int_equal(fake_events, i);
	fake_clear_log();
}

static void one_page(void **unused)
{
	(void)unused;
	ktlb_flush_page(&space, 0x400000, 0);
	is_flush(0x400000, PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_page(&space, 0x400000 + PAGE_SIZE - 1, KTLB_LEAF_ONLY);
	is_flush(0x400000, PAGE_SIZE, 42, FAKE_LEAF, PAGE_SIZE);
	ktlb_flush_page(&space, ((uint64_t)1 << 48) - 1, 0);
	is_flush(((uint64_t)1 << 48) - PAGE_SIZE, PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_page(&space, 0, 0);
	is_flush(0, PAGE_SIZE, 42, 0, PAGE_SIZE);
}

static void pages_of_a_space(void **unused)
{
	(void)unused;
	for (uint64_t pages = 1; pages < 512; pages++) {
		ktlb_flush_range(&space, 0x40000000, pages * PAGE_SIZE, PAGE_SIZE, 0);
		is_flush(0x40000000, pages * PAGE_SIZE, 42, 0, PAGE_SIZE);
		ktlb_flush_range(&space, 0x40000000, pages * PAGE_SIZE, PAGE_SIZE, KTLB_LEAF_ONLY);
		is_flush(0x40000000, pages * PAGE_SIZE, 42, FAKE_LEAF, PAGE_SIZE);
	}
}

static void blocks_of_a_space(void **unused)
{
	uint64_t start_va = 16 * BLOCK_SIZE;

	(void)unused;
	for (uint64_t blocks = 1; blocks < 200; blocks++) {
		ktlb_flush_range(&space, start_va, blocks * BLOCK_SIZE, BLOCK_SIZE, 0);
		is_flush(start_va, blocks * BLOCK_SIZE, 42, 0, BLOCK_SIZE);
	}
}

static void a_kernel_range_up_to_the_very_top(void **unused)
{
	(void)unused;
	for (uint64_t pages = 1; pages < 512; pages++) {
		uint64_t size = pages * PAGE_SIZE;

		ktlb_flush_kernel_range(TOP - size, size, PAGE_SIZE, 0);
		is_flush(TOP - size, size, 0, FAKE_KERNEL, PAGE_SIZE);
		ktlb_flush_kernel_range((uint64_t)0xffff8 << 44, size, PAGE_SIZE, KTLB_LEAF_ONLY);
		is_flush((uint64_t)0xffff8 << 44, size, 0, FAKE_KERNEL | FAKE_LEAF, PAGE_SIZE);
	}
	/* the last byte of the address space alone */
	ktlb_flush_kernel_range(TOP - 1, 1, PAGE_SIZE, 0);
	is_flush(TOP - PAGE_SIZE, PAGE_SIZE, 0, FAKE_KERNEL, PAGE_SIZE);
}

static void ranges_are_rounded_outwards(void **unused)
{
	(void)unused;
	ktlb_flush_range(&space, 0x400000 + PAGE_SIZE - 1, 2, PAGE_SIZE, 0);
	is_flush(0x400000, 2 * PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_range(&space, 5 * BLOCK_SIZE + 77, BLOCK_SIZE, BLOCK_SIZE, 0);
	is_flush(5 * BLOCK_SIZE, 2 * BLOCK_SIZE, 42, 0, BLOCK_SIZE);
	/* the top block, by its first byte and by its last */
	ktlb_flush_kernel_range(TOP - BLOCK_SIZE, 1, BLOCK_SIZE, 0);
	is_flush(TOP - BLOCK_SIZE, BLOCK_SIZE, 0, FAKE_KERNEL, BLOCK_SIZE);
	ktlb_flush_kernel_range(TOP - 1, 1, BLOCK_SIZE, 0);
	is_flush(TOP - BLOCK_SIZE, BLOCK_SIZE, 0, FAKE_KERNEL, BLOCK_SIZE);
}

/* The hint that an operand gives: a level, or 0. */
static uint64_t hint_of(const struct fake_event *e)
{
	uint64_t ttl = e->operand >> 44 & 15;

	if (e->op == FAKE_TLBI_RANGE)
		return e->operand >> 37 & 3;
	if (ttl)
		assert_int_equal(ttl >> 2, (KTLB_ARCH_PAGE_SHIFT - 10) / 2);
	return ttl & 3;
}

/*
 * A flush of one leaf of every size, runs included: it covers the leaf, steps by what one entry maps
 * at the most, and hints at that entry's level or at none.
 */
static void leaves_of_every_size(void **unused)
{
	(void)unused;
	for (uint32_t shift = KTLB_ARCH_PAGE_SHIFT; shift < 40; shift++) {
		uint64_t size = (uint64_t)1 << shift;
		uint32_t entry = ktlb_arch_entry_shift(shift);

		ktlb_flush_range(&space, 0, size, size, KTLB_LEAF_ONLY);
		if (fake_log[1].op == FAKE_TLBI_ID) {
			fake_clear_log();
			continue;
		}
		for (unsigned i = 1; i + 1 < fake_events; i++)
			assert_int_equal(hint_of(&fake_log[i]), ktlb_arch_level(entry));
		is_flush(0, size, 42, FAKE_LEAF, (uint64_t)1 << entry);
	}
}

/* Sizes that differ or are not known: by page, and no hint. */
static void leaves_of_unknown_size(void **unused)
{
	(void)unused;
	ktlb_flush_range(&space, BLOCK_SIZE, 3 * PAGE_SIZE, 0, KTLB_LEAF_ONLY);
	for (unsigned i = 1; i + 1 < fake_events; i++)
		assert_int_equal(hint_of(&fake_log[i]), 0);
	is_flush(BLOCK_SIZE, 3 * PAGE_SIZE, 42, FAKE_LEAF, PAGE_SIZE);
	ktlb_flush_range(&space, BLOCK_SIZE + 1, 3, 0, 0);
	is_flush(BLOCK_SIZE, PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_kernel_range(TOP - 1, 1, 0, KTLB_LEAF_ONLY);
	assert_int_equal(hint_of(&fake_log[1]), 0);
	is_flush(TOP - PAGE_SIZE, PAGE_SIZE, 0, FAKE_KERNEL | FAKE_LEAF, PAGE_SIZE);
}

static void the_whole_space(void **unused)
{
	(void)unused;
	ktlb_flush_space(&space);
	is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);
}

/* From the limit on, what would go leaf by leaf becomes everything under the id. */
static void the_limit_is_a_parameter(void **unused)
{
	struct ktlb_config config = {.full_flush_strides = 20};

	(void)unused;
	start(0, 1, 0);
	ktlb_flush_range(&space, 0, 511 * PAGE_SIZE, PAGE_SIZE, 0);
	is_flush(0, 511 * PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_range(&space, 0, 512 * PAGE_SIZE, PAGE_SIZE, 0);
	is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);
	ktlb_flush_range(&space, 0, 512 * BLOCK_SIZE, BLOCK_SIZE, 0);
	is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);
	ktlb_flush_kernel_range(TOP - 512 * PAGE_SIZE, 512 * PAGE_SIZE, PAGE_SIZE, 0);
	is_full_flush(FAKE_TLBI_ALL, 0);
	ktlb_flush_range(&space, 0, (uint64_t)1 << 55, PAGE_SIZE, 0);
	is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);

	start(0, 1, &config);
	ktlb_flush_range(&space, 0, 19 * PAGE_SIZE, PAGE_SIZE, 0);
	is_flush(0, 19 * PAGE_SIZE, 42, 0, PAGE_SIZE);
	ktlb_flush_range(&space, 0, 20 * PAGE_SIZE, PAGE_SIZE, 0);
	is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);
}

static uint64_t instructions(uint64_t size, uint64_t leaf_size)
{
	uint64_t tlbis;

	fake_clear_log();
	ktlb_flush_range(&space, 0, size, leaf_size, 0);
	tlbis = fake_events - 2;
	fake_clear_log();
	return tlbis;
}

/* The values of the option, by their effect on 256 pages, 16 blocks, and 2^21 pages. */
static void each_value_of_the_option(void **unused)
{
	const int by_range[] = {[KTLB_TLBI_NONE] = 0,
	                        [KTLB_TLBI_ALWAYS] = 1,
	                        [KTLB_TLBI_PAGE_STRIDE] = 1,
	                        [KTLB_TLBI_PLANNER] = 1};
	const int blocks_by_range[] = {[KTLB_TLBI_NONE] = 0,
	                               [KTLB_TLBI_ALWAYS] = 1,
	                               [KTLB_TLBI_PAGE_STRIDE] = 0,
	                               [KTLB_TLBI_PLANNER] = 1};
	int pages_in_one = by_range[KTLB_CFG_TLBI_RANGE];
	int blocks_in_one = blocks_by_range[KTLB_CFG_TLBI_RANGE];

	(void)unused;
	assert_int_equal(instructions(256 * PAGE_SIZE, PAGE_SIZE), pages_in_one ? 1 : 256);
	assert_int_equal(instructions(16 * BLOCK_SIZE, BLOCK_SIZE), blocks_in_one ? 1 : 16);
	if (pages_in_one) {
		assert_int_equal(instructions(KTLB_ARCH_RANGE_PAGES_MAX * PAGE_SIZE, PAGE_SIZE), 1);
		/* one page more is the whole id, or one instruction more */
		ktlb_flush_range(&space, 0, (KTLB_ARCH_RANGE_PAGES_MAX + 1) * PAGE_SIZE, PAGE_SIZE,
		                 0);
		if (KTLB_CFG_TLBI_RANGE == KTLB_TLBI_PLANNER &&
		    KTLB_CFG_TLBI_COVER == KTLB_COVER_EXACT)
			is_flush(0, (KTLB_ARCH_RANGE_PAGES_MAX + 1) * PAGE_SIZE, 42, 0, PAGE_SIZE);
		else
			is_full_flush(FAKE_TLBI_ID, (uint64_t)42 << 48);
	}
}

static void nothing_to_do(void **unused)
{
	(void)unused;
	ktlb_flush_range(&space, 0x1000, 0, PAGE_SIZE, 0);
	ktlb_flush_kernel_range(TOP - PAGE_SIZE, 0, PAGE_SIZE, 0);
	assert_int_equal(fake_events, 0);

	/* A space that never ran is in no TLB. The flush is a full barrier nevertheless. */
	ktlb_flush_page(&idle_space, 0x1000, 0);
	assert_int_equal(fake_events, 2);
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISHST);
	assert_int_equal(fake_log[1].op, FAKE_DSB_ISH);
	fake_clear_log();
	ktlb_flush_space(&idle_space);
	assert_int_equal(fake_events, 2);
}

/* A hint needs the feature, and LEAF_ONLY: a freed table's entry is at another level. */
static void hints(void **unused)
{
	(void)unused;
	for (int feature = 0; feature < 2; feature++) {
		start(1, feature, 0);
		ktlb_flush_page(&space, 0x400000, 0);
		assert_int_equal(hint_of(&fake_log[1]), 0);
		fake_clear_log();
		ktlb_flush_page(&space, 0x400000, KTLB_LEAF_ONLY);
		assert_int_equal(hint_of(&fake_log[1]), feature ? 3 : 0);
		fake_clear_log();
		ktlb_flush_range(&space, 0, 2 * BLOCK_SIZE, BLOCK_SIZE, KTLB_LEAF_ONLY);
		assert_int_equal(hint_of(&fake_log[1]), feature ? 2 : 0);
		fake_clear_log();
		ktlb_flush_range(&space, 0, 2 * BLOCK_SIZE, BLOCK_SIZE, 0);
		assert_int_equal(hint_of(&fake_log[1]), 0);
	}
}

/* Every kind of flush ends in one TLBI and DSB more, before the kernel's ISB. */
static void the_erratum_repeats_every_completion(void **unused)
{
	struct ktlb_config config = {.errata = KTLB_ERRATUM_REPEAT_TLBI};

	(void)unused;
	start(1, 1, &config);
	for (int kind = 0; kind < 6; kind++) {
		unsigned last;

		fake_clear_log();
		switch (kind) {
		case 0:
			ktlb_flush_page(&space, 0x1000, 0);
			break;
		case 1:
			ktlb_flush_range(&space, 0, 2 * PAGE_SIZE, PAGE_SIZE, 0);
			break;
		case 2:
			ktlb_flush_range(&space, 0, (uint64_t)1 << 54, PAGE_SIZE, 0);
			break;
		case 3:
			ktlb_flush_space(&space);
			break;
		case 4:
			ktlb_flush_kernel_range(TOP - PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, 0);
			break;
		case 5:
			ktlb_space_destroy(&space);
			break;
		}
		last = fake_events - 1;
		if (kind == 4)
			assert_int_equal(fake_log[last--].op, FAKE_ISB);
		assert_int_equal(fake_log[last].op, FAKE_DSB_ISH);
		assert_int_equal(fake_log[last - 1].op, FAKE_TLBI_VA);
		assert_int_equal(fake_log[last - 2].op, FAKE_DSB_ISH);
		assert_true(fake_log[last - 3].op >= FAKE_TLBI_ALL);
	}
}

/* What a rollover on another CPU does to the space while this CPU waits for its stores. */
static uint64_t id_after_barrier;

static void renumber(enum fake_op op)
{
	if (op == FAKE_DSB_ISHST)
		space.id = id_after_barrier;
}

static void the_id_is_read_after_the_barrier(void **unused)
{
	(void)unused;
	for (int kind = 0; kind < 3; kind++) {
		start(1, 1, 0);
		id_after_barrier = ktlb_sys.generation | 77;
		fake_hook = renumber;
		if (kind == 0)
			ktlb_flush_page(&space, 0x1000, 0);
		else if (kind == 1)
			ktlb_flush_range(&space, 0, 64 * PAGE_SIZE, PAGE_SIZE, 0);
		else
			ktlb_flush_space(&space);
		fake_hook = 0;
		assert_int_equal(fake_log[1].operand >> 48, 77);
	}
}

static void publish(void **unused)
{
	(void)unused;
	ktlb_publish();
	assert_int_equal(fake_events, 2);
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISHST);
	assert_int_equal(fake_log[1].op, FAKE_ISB);
}

static void counts(void **unused)
{
	struct ktlb_stats sum = {{0}};

	(void)unused;
	ktlb_flush_page(&space, 0x1000, 0);
	ktlb_flush_range(&space, 0, PAGE_SIZE, PAGE_SIZE, 0);
	ktlb_flush_range(&space, 0, (uint64_t)1 << 54, PAGE_SIZE, 0);
	ktlb_flush_range(&space, 0, 0, PAGE_SIZE, 0);
	ktlb_flush_space(&space);
	ktlb_flush_space(&idle_space);
	ktlb_flush_kernel_range(TOP - PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, 0);
	ktlb_stats_add(&sum);
	assert_int_equal(sum.count[KTLB_COUNT_FLUSH_PAGE], KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_FLUSH_RANGE], KTLB_CFG_COUNT ? 2 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_FLUSH_WIDENED], KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_FLUSH_SPACE], KTLB_CFG_COUNT ? 2 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_FLUSH_KERNEL], KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_SKIP_EMPTY], KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(sum.count[KTLB_COUNT_SKIP_NEVER_RAN], KTLB_CFG_COUNT ? 1 : 0);
}

#define TEST(f, how) cmocka_unit_test_setup(f, how)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_page, ranges),
		TEST(pages_of_a_space, ranges),
		TEST(pages_of_a_space, no_ranges),
		TEST(blocks_of_a_space, ranges),
		TEST(blocks_of_a_space, no_ranges),
		TEST(a_kernel_range_up_to_the_very_top, ranges),
		TEST(a_kernel_range_up_to_the_very_top, no_ranges),
		TEST(ranges_are_rounded_outwards, ranges),
		TEST(ranges_are_rounded_outwards, no_ranges),
		TEST(leaves_of_every_size, ranges),
		TEST(leaves_of_every_size, no_ranges),
		TEST(leaves_of_unknown_size, ranges),
		TEST(leaves_of_unknown_size, no_ranges),
		TEST(the_whole_space, ranges),
		TEST(the_limit_is_a_parameter, no_ranges),
		TEST(each_value_of_the_option, ranges),
		TEST(nothing_to_do, ranges),
		TEST(hints, ranges),
		TEST(the_erratum_repeats_every_completion, ranges),
		TEST(the_id_is_read_after_the_barrier, ranges),
		TEST(publish, ranges),
		TEST(counts, ranges),
	};

	return cmocka_run_group_tests_name("flush", tests, 0, 0);
}
