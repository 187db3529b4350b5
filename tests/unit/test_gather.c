/* SPDX-License-Identifier: MIT */
/*
 * Post and wait, and gathers, where the hardware broadcasts: which instructions they are, that all that
 * was added is covered, and when what was kept comes back.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define PAGE_SIZE  ((uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)
#define BLOCK_SIZE ((uint64_t)1 << (2 * KTLB_ARCH_PAGE_SHIFT - 3))
#define BASE       (16 * BLOCK_SIZE)

static struct ktlb_space space, idle_space;
static struct ktlb_pending pending;
static struct ktlb_gather gather;

static void start(const struct ktlb_config *extra)
{
	struct ktlb_config config = {0};

	if (extra)
		config = *extra;
	config.cpus = KTLB_CFG_MAX_CPUS < 2 ? 1 : 2;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&idle_space, 0, sizeof(idle_space));
	memset(&gather, 0, sizeof(gather));
	memset(&fake_secondary, 0, sizeof(fake_secondary));
	ktlb_space_init(&space, 1 << 20);
	ktlb_space_init(&idle_space, 2 << 20);
	ktlb_switch(&space);
	fake_clear_log();
}

static int on_one_space(void **unused)
{
	(void)unused;
	start(0);
	return 0;
}

/* The log is these operations, and then empty. */
static void is_log(const enum fake_op *op, unsigned events)
{
	for (unsigned i = 0; i < events && i < fake_events; i++)
		assert_int_equal(fake_log[i].op, op[i]);
	assert_int_equal(fake_events, events);
	fake_clear_log();
}
#define LOG(...)                                           \
	do {                                               \
		const enum fake_op op_[] = {__VA_ARGS__};  \
                                                           \
		is_log(op_, sizeof(op_) / sizeof(op_[0])); \
	} while (0)
#define NOTHING()                  assert_int_equal(fake_events, 0)
#define FAILS(statement, sentence) assert_string_equal(FAKE_SENTENCE_OF(statement), sentence)

static uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

/* ---- post and wait ----------------------------------------------------------------------------*/

static void a_post_does_not_wait(void **unused)
{
	(void)unused;
	ktlb_flush_post(&space, BASE, PAGE_SIZE, PAGE_SIZE, KTLB_LEAF_ONLY, &pending);
	assert_int_equal(fake_log[1].flags, FAKE_LEAF);
	assert_int_equal(fake_log[1].operand >> 48, KTLB_ID_NUMBER(ktlb_space_id(&space)));
	LOG(FAKE_DSB_ISHST, FAKE_TLBI_VA);
	ktlb_flush_wait(&pending);
	LOG(FAKE_DSB_ISH);
	ktlb_flush_wait(&pending);
	NOTHING();
	ktlb_flush_post_space(&space, &pending);
	LOG(FAKE_DSB_ISHST, FAKE_TLBI_ID);
	ktlb_flush_wait(&pending);
	LOG(FAKE_DSB_ISH);
	assert_int_equal(count(KTLB_COUNT_FLUSH_POST), KTLB_CFG_COUNT ? 2 : 0);
}

static void any_number_is_under_way(void **unused)
{
	static struct ktlb_pending many[50];

	(void)unused;
	for (unsigned i = 0; i < 50; i++)
		ktlb_flush_post(&space, i * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, 0, &many[i]);
	assert_int_equal(fake_events, 100);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(fake_log[2 * i + 1].op, FAKE_TLBI_VA);
		assert_int_equal(fake_log[2 * i + 1].operand & 0xfffffffffff, i * PAGE_SIZE >> 12);
	}
	fake_clear_log();
	for (unsigned i = 50; i-- > 0;)
		ktlb_flush_wait(&many[i]);
	for (unsigned i = 0; i < fake_events; i++)
		assert_int_equal(fake_log[i].op, FAKE_DSB_ISH);
	assert_int_equal(fake_events, 50);
}

/*
 * The thread moves: the CPU that it leaves executes the DSB before its switch does anything else. (What
 * that is worth, the checker shows; here it is there.)
 */
static void a_move_completes_what_was_posted(void **unused)
{
	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2)
		skip();
	ktlb_flush_post(&space, BASE, PAGE_SIZE, PAGE_SIZE, 0, &pending);
	fake_clear_log();
	ktlb_switch(&idle_space);
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISH);
	fake_run_on(1);
	fake_clear_log();
	ktlb_flush_wait(&pending);
	LOG(FAKE_DSB_ISH);
}

static void nothing_to_post(void **unused)
{
	(void)unused;
	ktlb_flush_post(&space, BASE, 0, PAGE_SIZE, 0, &pending);
	ktlb_flush_wait(&pending);
	NOTHING();
	assert_int_equal(count(KTLB_COUNT_SKIP_EMPTY), KTLB_CFG_COUNT ? 1 : 0);
	/* a space that never ran: the barriers alone */
	ktlb_flush_post(&idle_space, BASE, PAGE_SIZE, PAGE_SIZE, 0, &pending);
	ktlb_flush_wait(&pending);
	LOG(FAKE_DSB_ISHST, FAKE_DSB_ISH);
	assert_int_equal(count(KTLB_COUNT_SKIP_NEVER_RAN), KTLB_CFG_COUNT ? 1 : 0);
}

static void the_erratum_is_repeated_by_the_wait(void **unused)
{
	struct ktlb_config config = {.errata = KTLB_ERRATUM_REPEAT_TLBI};

	(void)unused;
	start(&config);
	ktlb_flush_post(&space, BASE, PAGE_SIZE, PAGE_SIZE, 0, &pending);
	LOG(FAKE_DSB_ISHST, FAKE_TLBI_VA);
	ktlb_flush_wait(&pending);
	LOG(FAKE_DSB_ISH, FAKE_TLBI_VA, FAKE_DSB_ISH);
}

/* ---- what a gather flushes --------------------------------------------------------------------*/

/* Is this page under one of the TLBIs of the log? Blocks: by their first address alone. */
static int is_covered(uint64_t va)
{
	for (unsigned i = 0; i < fake_events; i++) {
		const struct fake_event *e = &fake_log[i];
		uint32_t shift = KTLB_CFG_ARM64_LPA2 ? 16 : KTLB_ARCH_PAGE_SHIFT;
		uint64_t base, size;

		if (e->op == FAKE_TLBI_ID)
			return 1;
		if (e->op == FAKE_TLBI_VA && (e->operand & 0xfffffffffff) == va >> 12)
			return 1;
		if (e->op != FAKE_TLBI_RANGE)
			continue;
		base = (e->operand & 0x1fffffffff) << shift;
		size = PAGE_SIZE * ((e->operand >> 39 & 31) + 1)
		       << (5 * (e->operand >> 44 & 3) + 1);
		if (va >= base && va - base < size)
			return 1;
	}
	return 0;
}

static uint64_t hint_of(const struct fake_event *e)
{
	return e->op == FAKE_TLBI_RANGE ? e->operand >> 37 & 3 : e->operand >> 44 & 3;
}

/* All TLBIs of the log: how many, each with these flags, hints or none. */
static unsigned tlbis(uint32_t flags, int hints)
{
	unsigned found = 0;

	for (unsigned i = 0; i < fake_events; i++)
		if (fake_log[i].op == FAKE_TLBI_VA || fake_log[i].op == FAKE_TLBI_RANGE) {
			assert_int_equal(fake_log[i].flags, flags);
			assert_int_equal(hint_of(&fake_log[i]) != 0, hints);
			found++;
		}
	return found;
}

static void is_one_flush(void)
{
	assert_int_equal(fake_log[0].op, FAKE_DSB_ISHST);
	assert_int_equal(fake_log[fake_events - 1].op, FAKE_DSB_ISH);
	for (unsigned i = 1; i + 1 < fake_events; i++)
		assert_true(fake_log[i].op >= FAKE_TLBI_ID && fake_log[i].op <= FAKE_TLBI_RANGE);
}

static void pages_far_apart_stay_apart(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	for (uint64_t i = 0; i < KTLB_SPANS; i++)
		ktlb_gather_add(&gather, BASE + i * BLOCK_SIZE, PAGE_SIZE, PAGE_SIZE);
	NOTHING();
	assert_null(ktlb_gather_flush(&gather));
	is_one_flush();
	assert_int_equal(tlbis(FAKE_LEAF, 1), KTLB_SPANS);
	for (uint64_t i = 0; i < KTLB_SPANS; i++)
		assert_true(is_covered(BASE + i * BLOCK_SIZE));
	assert_int_equal(count(KTLB_COUNT_FLUSH_GATHER), KTLB_CFG_COUNT ? 1 : 0);
}

/* Pages in any order become one range. */
static void neighbours_join(void **unused)
{
	static const uint64_t order[] = {3, 4, 2, 5, 1, 6, 0, 7};

	(void)unused;
	ktlb_gather_begin(&gather, &space);
	for (unsigned i = 0; i < 8; i++)
		ktlb_gather_add(&gather, BASE + order[i] * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE);
	assert_int_equal(gather.ranges, 1);
	assert_int_equal(gather.range[0].start, BASE);
	assert_int_equal(gather.range[0].last, BASE + 8 * PAGE_SIZE - 1);
	ktlb_gather_flush(&gather);
	is_one_flush();
	for (uint64_t i = 0; i < 8; i++)
		assert_true(is_covered(BASE + i * PAGE_SIZE));
	assert_false(is_covered(BASE - PAGE_SIZE));
	if (KTLB_CFG_TLBI_RANGE != KTLB_TLBI_NONE)
		assert_int_equal(tlbis(FAKE_LEAF, 1), 1);
}

/* Each with its hint; a contiguous run counts as one leaf; the ends are rounded outwards to leaves. */
static void leaves_of_two_sizes(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, BASE + 5, 1, BLOCK_SIZE);
	ktlb_gather_add(&gather, BASE + BLOCK_SIZE + 5, PAGE_SIZE, PAGE_SIZE);
	assert_int_equal(gather.ranges, 2);
	assert_int_equal(gather.range[0].last, BASE + BLOCK_SIZE - 1);
	assert_int_equal(gather.range[1].last, BASE + BLOCK_SIZE + 2 * PAGE_SIZE - 1);
	ktlb_gather_flush(&gather);
	is_one_flush();
	assert_int_equal(fake_log[1].flags, FAKE_LEAF);
	assert_int_equal(hint_of(&fake_log[1]), ktlb_arch_level(2 * KTLB_ARCH_PAGE_SHIFT - 3));
	assert_int_equal(hint_of(&fake_log[fake_events - 2]), 3);
	assert_true(is_covered(BASE));
	assert_true(is_covered(BASE + BLOCK_SIZE));
	assert_true(is_covered(BASE + BLOCK_SIZE + PAGE_SIZE));
}

/* A freed table forbids leaf-only forms and hints, for all of the gather. */
static void a_freed_table_is_for_all_levels(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, BASE, PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_add(&gather, BASE + 2 * BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE);
	ktlb_gather_add_table(&gather, BASE + 4 * BLOCK_SIZE, PAGE_SIZE);
	ktlb_gather_flush(&gather);
	is_one_flush();
	assert_true(tlbis(0, 0) >= 3);
	assert_true(is_covered(BASE));
	assert_true(is_covered(BASE + 2 * BLOCK_SIZE));
	assert_true(is_covered(BASE + 4 * BLOCK_SIZE));
}

/* One whose leaves were not added: all that it could map. */
static void a_table_with_its_leaves(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add_table(&gather, BASE, BLOCK_SIZE);
	ktlb_gather_flush(&gather);
	is_one_flush();
	tlbis(0, 0);
	for (uint64_t va = BASE; va < BASE + BLOCK_SIZE; va += PAGE_SIZE)
		assert_true(is_covered(va));
}

/* What is beyond the ranges joins the one that grows least, and its leaves may be of any size then. */
static void ranges_are_used_up(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	for (uint64_t i = 0; i < KTLB_SPANS; i++)
		ktlb_gather_add(&gather, BASE + i * 8 * BLOCK_SIZE, PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_add(&gather, BASE + 8 * BLOCK_SIZE + 4 * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE);
	assert_int_equal(gather.ranges, KTLB_SPANS);
	assert_int_equal(gather.range[1].last, BASE + 8 * BLOCK_SIZE + 5 * PAGE_SIZE - 1);
	assert_int_equal(gather.range[1].leaf_size, PAGE_SIZE);
	ktlb_gather_add(&gather, BASE + 2 * 8 * BLOCK_SIZE - BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE);
	assert_int_equal(gather.range[2].start, BASE + 2 * 8 * BLOCK_SIZE - BLOCK_SIZE);
	assert_int_equal(gather.range[2].leaf_size, 0);
	ktlb_gather_flush(&gather);
	is_one_flush();
	for (uint64_t i = 0; i <= 4; i++)
		assert_true(is_covered(BASE + 8 * BLOCK_SIZE + i * PAGE_SIZE));
	assert_true(is_covered(BASE + 15 * BLOCK_SIZE));
}

/* The whole of a user's half: one invalidation of the id, whatever else was added. */
static void far_too_much(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, BASE, PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_add(&gather, 0, (uint64_t)1 << 55, PAGE_SIZE);
	ktlb_gather_flush(&gather);
	LOG(FAKE_DSB_ISHST, FAKE_TLBI_ID, FAKE_DSB_ISH);
	assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), KTLB_CFG_COUNT ? 1 : 0);
}

static uint64_t seed = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* Whatever is added in whatever order is covered: each page, and each block by its address. */
static void everything_is_covered(void **unused)
{
	static uint64_t added[40], size[40];

	(void)unused;
	for (unsigned round = 0; round < 3000; round++) {
		unsigned n = (unsigned)random_below(40) + 1;
		int tables = 0;

		fake_clear_log();
		ktlb_gather_begin(&gather, &space);
		for (unsigned i = 0; i < n; i++) {
			uint64_t leaf = random_below(4) ? PAGE_SIZE : BLOCK_SIZE;

			added[i] = BASE + random_below(4) * 3 * BLOCK_SIZE +
			           random_below(30) * PAGE_SIZE;
			size[i] = (random_below(3) + 1) * PAGE_SIZE;
			if (leaf == BLOCK_SIZE)
				added[i] &= ~(BLOCK_SIZE - 1);
			if (random_below(60) == 0) {
				ktlb_gather_add_table(&gather, added[i], size[i]);
				tables = 1;
			} else {
				ktlb_gather_add(&gather, added[i], size[i], leaf);
				if (leaf == BLOCK_SIZE)
					size[i] = PAGE_SIZE; /* its first address */
			}
		}
		ktlb_gather_flush(&gather);
		is_one_flush();
		for (unsigned i = 0; i < n; i++)
			for (uint64_t va = added[i]; va < added[i] + size[i]; va += PAGE_SIZE)
				assert_true(is_covered(va));
		for (unsigned i = 0; i < fake_events; i++)
			if (fake_log[i].op == FAKE_TLBI_VA || fake_log[i].op == FAKE_TLBI_RANGE)
				assert_int_equal(fake_log[i].flags, tables ? 0 : FAKE_LEAF);
	}
}

static void nothing_gathered(void **unused)
{
	(void)unused;
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, BASE, 0, PAGE_SIZE);
	ktlb_gather_add_table(&gather, BASE, 0);
	ktlb_gather_found_empty(&gather, BASE, 0);
	assert_null(ktlb_gather_flush(&gather));
	NOTHING();
	assert_int_equal(ktlb_gather_pending(&space), 0);
}

/* ---- what is kept -----------------------------------------------------------------------------*/

struct page {
	uint64_t payload;
	struct ktlb_gather_page node;
	int seen;
};

/* Any number, each once, after the flush. */
static void pages_come_back(void **unused)
{
	static struct page page[10000];
	struct ktlb_gather_page *node;
	unsigned seen = 0;

	(void)unused;
	memset(page, 0, sizeof(page));
	ktlb_gather_begin(&gather, &space);
	for (unsigned i = 0; i < 10000; i++) {
		ktlb_gather_add(&gather, BASE + i * PAGE_SIZE, PAGE_SIZE, PAGE_SIZE);
		ktlb_gather_keep(&gather, &page[i].node);
	}
	ktlb_gather_post(&gather);
	assert_true(fake_events > 0 && fake_log[fake_events - 1].op != FAKE_DSB_ISH);
	fake_clear_log();
	node = ktlb_gather_wait(&gather);
	LOG(FAKE_DSB_ISH);
	for (; node; node = node->next) {
		struct page *p = (struct page *)(void *)((char *)node -
		                                         offsetof(struct page, node));

		assert_int_equal(p->seen++, 0);
		seen++;
	}
	assert_int_equal(seen, 10000);
	/* the next gather starts with none */
	ktlb_gather_begin(&gather, &space);
	assert_null(ktlb_gather_flush(&gather));
}

/* ---- gathers that meet ------------------------------------------------------------------------*/

static void what_another_gather_emptied_is_flushed_here(void **unused)
{
	struct ktlb_gather other = {0};

	(void)unused;
	ktlb_gather_begin(&gather, &space);
	assert_int_equal(ktlb_gather_pending(&space), 1);
	ktlb_gather_found_empty(&gather, BASE, 2 * PAGE_SIZE);
	ktlb_gather_flush(&gather);
	NOTHING();

	ktlb_gather_begin(&other, &space);
	ktlb_gather_begin(&gather, &space);
	assert_int_equal(ktlb_gather_pending(&space), 2);
	ktlb_gather_found_empty(&gather, BASE, 2 * PAGE_SIZE);
	ktlb_gather_flush(&gather);
	is_one_flush();
	/* for all levels: the other one may have unlinked a table with its leaves */
	assert_true(tlbis(0, 0) >= 1);
	assert_true(is_covered(BASE) && is_covered(BASE + PAGE_SIZE));
	assert_int_equal(count(KTLB_COUNT_GATHER_MET), KTLB_CFG_COUNT ? 1 : 0);
	assert_int_equal(ktlb_gather_pending(&space), 1);

	/* posted is not flushed */
	ktlb_gather_add(&other, BASE, PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_post(&other);
	assert_int_equal(ktlb_gather_pending(&space), 1);
	ktlb_gather_wait(&other);
	assert_int_equal(ktlb_gather_pending(&space), 0);
	assert_int_equal(ktlb_gather_pending(&idle_space), 0);
}

/* ---- what else has a TLB ----------------------------------------------------------------------*/

static void told(struct ktlb_space *of, uint64_t from, uint64_t size, uint32_t flags)
{
	assert_int_equal(fake_secondary.calls, 1);
	assert_ptr_equal(fake_secondary.space, of);
	assert_int_equal(fake_secondary.start, from);
	assert_int_equal(fake_secondary.size, size);
	assert_int_equal(fake_secondary.flags, flags);
	fake_secondary.calls = 0;
}

/* The range as it was given, however it was rounded, cut or widened for the CPUs. */
static void secondary_gets_the_original(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_SECONDARY) {
		ktlb_flush_range(&space, BASE, PAGE_SIZE, 0, 0);
		ktlb_flush_space(&space);
		assert_int_equal(fake_secondary.calls, 0);
		return;
	}
	ktlb_flush_page(&space, BASE + 7, KTLB_LEAF_ONLY);
	told(&space, BASE, PAGE_SIZE, KTLB_LEAF_ONLY);
	ktlb_flush_range(&space, BASE + 7, 3 * BLOCK_SIZE, BLOCK_SIZE, 0);
	told(&space, BASE + 7, 3 * BLOCK_SIZE, 0);
	ktlb_flush_range(&space, 0, (uint64_t)1 << 55, PAGE_SIZE, KTLB_LEAF_ONLY);
	told(&space, 0, (uint64_t)1 << 55, KTLB_LEAF_ONLY);
	ktlb_flush_range(&space, BASE, 0, PAGE_SIZE, 0);
	assert_int_equal(fake_secondary.calls, 0);
	ktlb_flush_space(&space);
	told(&space, 0, 0, 0);
	ktlb_flush_kernel_range(-BLOCK_SIZE, BLOCK_SIZE, PAGE_SIZE, 0);
	told(0, -BLOCK_SIZE, BLOCK_SIZE, 0);
	ktlb_flush_post(&space, BASE, PAGE_SIZE, PAGE_SIZE, 0, &pending);
	told(&space, BASE, PAGE_SIZE, 0);
	ktlb_flush_wait(&pending);
	ktlb_flush_post_space(&space, &pending);
	told(&space, 0, 0, 0);
	ktlb_flush_wait(&pending);
	ktlb_gather_begin(&gather, &space);
	ktlb_gather_add(&gather, BASE, 3 * PAGE_SIZE, PAGE_SIZE);
	ktlb_gather_flush(&gather);
	told(&space, BASE, 3 * PAGE_SIZE, KTLB_LEAF_ONLY);
	ktlb_space_destroy(&idle_space);
	told(&idle_space, 0, 0, 0);
}

/* ---- wrong use --------------------------------------------------------------------------------*/

static void misuse(void **unused)
{
	struct ktlb_space zero = {0};

	(void)unused;
	FAILS(ktlb_gather_begin(&gather, &zero), "ktlb_gather_begin: the space is not initialised");
	FAILS(ktlb_gather_add(&gather, BASE, 1, 0), "ktlb_gather: the gather has not begun");
	FAILS(ktlb_gather_flush(&gather), "ktlb_gather: the gather has not begun");
	FAILS(ktlb_flush_post(&zero, BASE, 1, 0, 0, &pending),
	      "ktlb_flush: the space is not initialised");
	ktlb_gather_begin(&gather, &space);
	ktlb_enter_lazy();
	FAILS(ktlb_space_destroy(&space),
	      "ktlb_space_destroy: a gather of the space has not been flushed");
	ktlb_gather_flush(&gather);
	FAILS(ktlb_gather_wait(&gather), "ktlb_gather: the gather has not begun");
	ktlb_space_destroy(&space);
}

static void misuse_of_hot_paths(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_CHECK)
		skip();
	ktlb_gather_begin(&gather, &space);
	FAILS(ktlb_gather_add(&gather, -PAGE_SIZE, PAGE_SIZE, 0),
	      "ktlb_flush: an address is not in the half of the address space that it should be in");
	FAILS(ktlb_gather_add(&gather, BASE, -BASE + 1, 0),
	      "ktlb_flush: the range wraps around the end of the address space");
	FAILS(ktlb_gather_add(&gather, BASE, PAGE_SIZE, 3 * PAGE_SIZE),
	      "ktlb_flush: leaf_size must be 0 or a power of two, a granule or more");
	FAILS(ktlb_flush_post(&space, BASE, PAGE_SIZE, PAGE_SIZE, 1u << 31, &pending),
	      "ktlb_flush: unknown flag");
	ktlb_gather_flush(&gather);
}

#define TEST(f) cmocka_unit_test_setup(f, on_one_space)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_post_does_not_wait),
		TEST(any_number_is_under_way),
		TEST(a_move_completes_what_was_posted),
		TEST(nothing_to_post),
		TEST(the_erratum_is_repeated_by_the_wait),
		TEST(pages_far_apart_stay_apart),
		TEST(neighbours_join),
		TEST(leaves_of_two_sizes),
		TEST(a_freed_table_is_for_all_levels),
		TEST(a_table_with_its_leaves),
		TEST(ranges_are_used_up),
		TEST(far_too_much),
		TEST(everything_is_covered),
		TEST(nothing_gathered),
		TEST(pages_come_back),
		TEST(what_another_gather_emptied_is_flushed_here),
		TEST(secondary_gets_the_original),
		TEST(misuse),
		TEST(misuse_of_hot_paths),
	};

	return cmocka_run_group_tests_name("gather", tests, 0, 0);
}
