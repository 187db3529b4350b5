/* SPDX-License-Identifier: MIT */
/*
 * How closely range instructions fit (KTLB_CFG_TLBI_COVER): the operands that come out are taken apart
 * here by a reading of the manual of its own, and what they cover is compared with what was asked for,
 * at sizes from one page to the largest range, at every start that LPA2 makes different, and at the ends
 * of both halves. And what ktlb_calibrate makes of a clock.
 */
#include "unit.h"

#include "ktlb_plan.h"

#define MOST ((uint64_t)1 << 21)

/* What the instructions of a policy cover, whatever its order: one block without gaps. */
struct covered {
	uint64_t ops, first, last; /* bytes, the last one included */
};

static struct covered run(uint32_t policy, uint64_t va, uint64_t pages, uint32_t shift, int lpa2)
{
	struct ktlb_arch_cover cover = ktlb_arm64_cover(policy, va, pages, shift, lpa2);
	struct covered c = {0, 0, 0};
	uint64_t next = cover.va;

	while (cover.pages) {
		struct ktlb_arch_op op = ktlb_arm64_range_next(next, cover.pages, 0x2a, 0, shift,
		                                               lpa2);
		uint32_t unit = lpa2 ? 16 : shift;
		uint64_t bytes, start;

		assert_int_equal(op.operand >> 48, 0x2a);
		if (op.range) {
			uint64_t base = op.operand & (((uint64_t)1 << 37) - 1);

			assert_int_equal(op.operand >> 46 & 3, (shift - 10) / 2);
			assert_int_equal(op.operand >> 37 & 3, 0);
			bytes = ((op.operand >> 39 & 31) + 1)
			        << (5 * (op.operand >> 44 & 3) + 1 + shift);
			start = (uint64_t)((int64_t)(base << (27)) >> (27 - unit));
			/* no carry out of the half, or out of the operand */
			assert_int_equal((start + bytes - 1) >> (36 + unit) & 1,
			                 start >> (36 + unit) & 1);
		} else {
			bytes = (uint64_t)1 << shift;
			start = (uint64_t)((int64_t)(op.operand << 20) >> 8) &
			        ~(((uint64_t)1 << shift) - 1);
		}
		assert_int_equal(start, next);
		if (c.ops++ == 0)
			c.first = start;
		c.last = start + (bytes - 1);
		assert_int_equal(bytes, op.pages << shift);
		next += bytes;
		cover.pages -= op.pages;
	}
	return c;
}

/*
 * 4 KiB, without LPA2. Pages; instructions when exact; pages of one instruction; instructions and pages
 * too many of two. The numbers were worked out by hand and by another program. Where two cover a
 * whole digit more, one instruction does: 127 pages as 128.
 */
static const struct {
	uint32_t pages, exact, one, two, two_more;
} worked[] = {
	{1, 1, 1, 1, 0},
	{2, 1, 2, 1, 0},
	{3, 2, 4, 2, 0},
	{4, 1, 4, 1, 0},
	{7, 2, 8, 2, 0},
	{8, 1, 8, 1, 0},
	{15, 2, 16, 2, 0},
	{16, 1, 16, 1, 0},
	{31, 2, 32, 2, 0},
	{32, 1, 32, 1, 0},
	{33, 2, 34, 2, 0},
	{62, 1, 62, 1, 0},
	{63, 2, 64, 2, 0},
	{64, 1, 64, 1, 0},
	{65, 2, 128, 2, 0},
	{66, 2, 128, 2, 0},
	{96, 2, 128, 2, 0},
	{100, 2, 128, 2, 0},
	{127, 3, 128, 1, 1},
	{128, 1, 128, 1, 0},
	{129, 2, 192, 2, 0},
	{192, 1, 192, 1, 0},
	{255, 3, 256, 1, 1},
	{256, 1, 256, 1, 0},
	{257, 2, 320, 2, 0},
	{511, 3, 512, 1, 1},
	{512, 1, 512, 1, 0},
	{513, 2, 576, 2, 0},
	{1000, 2, 1024, 2, 0},
	{1023, 3, 1024, 1, 1},
	{1024, 1, 1024, 1, 0},
	{1025, 2, 1088, 2, 0},
	{2046, 2, 2048, 2, 0},
	{2047, 3, 2048, 1, 1},
	{2048, 1, 2048, 1, 0},
	{2049, 2, 4096, 2, 0},
	{3000, 3, 4096, 2, 8},
	{4095, 4, 4096, 1, 1},
	{4096, 1, 4096, 1, 0},
	{65536, 1, 65536, 1, 0},
	{2097150, 4, 2097152, 1, 2},
	{2097151, 5, 2097152, 1, 1},
	{2097152, 1, 2097152, 1, 0},
};

static void worked_numbers(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < sizeof(worked) / sizeof(worked[0]); i++) {
		uint64_t n = worked[i].pages;
		struct covered c = run(KTLB_COVER_EXACT, 0x40000000, n, 12, 0);

		assert_int_equal(c.ops, worked[i].exact);
		assert_int_equal(c.last - c.first, (n << 12) - 1);
		assert_int_equal(ktlb_arm64_ops(0x40000000, n, 12, 0), worked[i].exact);
		c = run(KTLB_COVER_TWO, 0x40000000, n, 12, 0);
		assert_int_equal(c.ops, worked[i].two);
		assert_int_equal(c.last - c.first, ((n + worked[i].two_more) << 12) - 1);
		c = run(KTLB_COVER_ONE, 0x40000000, n, 12, 0);
		assert_int_equal(c.ops, 1);
		assert_int_equal(c.last - c.first, ((uint64_t)worked[i].one << 12) - 1);
	}
	/* LPA2, exact: the lead-in of single pages; {first page, pages, instructions} */
	static const uint32_t lead_in[][3] = {{0, 33, 2},  {1, 33, 16},  {15, 18, 3},
	                                      {1, 16, 16}, {8, 512, 10}, {1, 4096, 19}};

	for (unsigned i = 0; i < 6; i++) {
		uint64_t va = 0x40000000 + ((uint64_t)lead_in[i][0] << 12);

		assert_int_equal(run(KTLB_COVER_EXACT, va, lead_in[i][1], 12, 1).ops,
		                 lead_in[i][2]);
		assert_int_equal(ktlb_arm64_ops(va, lead_in[i][1], 12, 1), lead_in[i][2]);
	}
	/* rounded down at the start */
	assert_int_equal(run(KTLB_COVER_TWO, 0x40001000, 33, 12, 1).ops, 1);
	assert_int_equal(run(KTLB_COVER_TWO, 0x40001000, 4096, 12, 1).ops, 2);
}

/* How often each number of instructions comes, over 1 to 4096 pages; mean 2.94. */
static void the_distribution_of_exact(void **unused)
{
	unsigned ops[6] = {0};

	(void)unused;
	for (uint64_t n = 1; n <= 4096; n++)
		ops[run(KTLB_COVER_EXACT, 0, n, 12, 0).ops]++;
	assert_int_equal(ops[1], 65);
	assert_int_equal(ops[2], 1086);
	assert_int_equal(ops[3], 1984);
	assert_int_equal(ops[4], 961);
}

static void keeps_its_promise(uint32_t policy, uint64_t va, uint64_t pages, uint32_t shift,
                              int lpa2)
{
	struct covered c = run(policy, va, pages, shift, lpa2);
	uint64_t last = va + (pages << shift) - 1;
	uint64_t below = (va - c.first) >> shift, above = (c.last - last) >> shift;

	assert_true(c.first <= va && c.last >= last);
	assert_true(below <= (lpa2 && policy != KTLB_COVER_EXACT ? 0xffffu >> shift : 0));
	switch (policy) {
	case KTLB_COVER_EXACT:
		assert_int_equal(above, 0);
		assert_true(c.ops <= (lpa2 ? 20 : 5));
		break;
	case KTLB_COVER_TWO:
		assert_true(c.ops <= 2);
		assert_true(above * 32 < pages + below); /* 3.1 % */
		break;
	case KTLB_COVER_ONE:
		assert_int_equal(c.ops, 1);
		assert_true(above < pages + below);
		break;
	}
}

static void every_size(void **unused)
{
	(void)unused;
	for (uint32_t policy = KTLB_COVER_EXACT; policy <= KTLB_COVER_ONE; policy++)
		for (uint32_t shift = 12; shift <= 16; shift += 2)
			for (int lpa2 = 0; lpa2 <= (shift < 16); lpa2++)
				for (uint64_t n = 1; n <= 4200; n++)
					for (uint64_t start = 0; start < 16; start += n % 7 + 1)
						keeps_its_promise(policy, (start + 16) << shift, n,
						                  shift, lpa2);
	srand(4);
	for (int i = 0; i < 100000; i++) {
		uint64_t n = 1 + (uint64_t)rand() % (MOST - 16);
		uint64_t va = (uint64_t)rand() % ((uint64_t)1 << 31) << 12;

		keeps_its_promise(KTLB_COVER_EXACT + (uint32_t)i % 3, va, n, 12, i & 1);
	}
}

/* At the very end of each half nothing is rounded beyond; below that it is as anywhere else. */
static void the_ends_of_the_halves(void **unused)
{
	(void)unused;
	for (uint32_t policy = KTLB_COVER_EXACT; policy <= KTLB_COVER_ONE; policy++) {
		for (uint32_t shift = 12; shift <= 16; shift += 2) {
			for (int lpa2 = 0; lpa2 <= (shift < 16); lpa2++) {
				uint64_t half = (uint64_t)1 << (36 + (lpa2 ? 16 : shift));

				for (uint64_t n = 1; n <= 4200; n++) {
					struct covered c = run(policy, -(n << shift), n, shift,
					                       lpa2);

					assert_int_equal(c.last, ~(uint64_t)0);
					assert_true(-c.first - (n << shift) <= 0xffff);
					c = run(policy, half - (n << shift), n, shift, lpa2);
					assert_int_equal(c.last, half - 1);
					/* and the beginning of the kernel's */
					c = run(policy, -half, n, shift, lpa2);
					assert_int_equal(c.first, -half);
				}
			}
		}
	}
	keeps_its_promise(KTLB_COVER_TWO, -((uint64_t)4096 << 12), 3000, 12, 0);
	assert_int_equal(run(KTLB_COVER_TWO, -((uint64_t)3000 << 12), 3000, 12, 0).ops, 3);
}

/* A hint needs start and count to be multiples of the leaf: they stay so. */
static void leaves_stay_whole(void **unused)
{
	(void)unused;
	for (uint32_t policy = KTLB_COVER_EXACT; policy <= KTLB_COVER_ONE; policy++) {
		for (uint64_t leaves = 1; leaves < 4096; leaves++) {
			uint64_t pages = leaves * 512;
			struct ktlb_arch_cover cover = ktlb_arm64_cover(policy, 0x40000000, pages,
			                                                12, 0);
			uint64_t va = cover.va;

			while (cover.pages) {
				struct ktlb_arch_op op = ktlb_arm64_range_next(va, cover.pages, 1,
				                                               2, 12, 0);

				assert_int_equal(va % (512 << 12), 0);
				va += op.pages << 12;
				cover.pages -= op.pages;
			}
		}
	}
}

/* ---- the whole way, with the policy of this build ------------------------------------------------*/

static uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

static struct ktlb_space space;

static void start(struct ktlb_costs costs, uint32_t strides)
{
	struct ktlb_config config = {.cpus = 1, .costs = costs, .full_flush_strides = strides};

	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	ktlb_space_init(&space, 1 << 20);
	ktlb_switch(&space);
	fake_clear_log();
}

static unsigned tlbis(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fake_events; i++)
		n += fake_log[i].op == FAKE_TLBI_VA || fake_log[i].op == FAKE_TLBI_RANGE;
	fake_clear_log();
	return n;
}

static void decisions_are_counted(void **unused)
{
	const uint64_t page = (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT;
	static const unsigned ops[] = {0, 3, 2, 1};

	(void)unused;
	if (KTLB_CFG_TLBI_RANGE != KTLB_TLBI_PLANNER)
		skip();
	start((struct ktlb_costs){0, 0, 0}, 0);
	ktlb_flush_range(&space, 0, 3000 * page, page, 0);
	assert_int_equal(tlbis(), ops[KTLB_CFG_TLBI_COVER]);
	ktlb_flush_kernel_range(-((uint64_t)1 << 30), 3000 * page, page, KTLB_LEAF_ONLY);
	assert_int_equal(tlbis(), ops[KTLB_CFG_TLBI_COVER]);
	ktlb_flush_range(&space, 0, 1, page, 0);
	assert_int_equal(tlbis(), 1);
	if (!KTLB_CFG_COUNT)
		return;
	assert_int_equal(count(KTLB_COUNT_PLAN_RANGES), 2);
	assert_int_equal(count(KTLB_COUNT_PLAN_LEAVES), 1);
	assert_int_equal(count(KTLB_COUNT_PLAN_COVERED),
	                 KTLB_CFG_TLBI_COVER == KTLB_COVER_EXACT ? 0 : 2);
	assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), 0);
	/* more than one range: everything, if exactness is not asked for */
	ktlb_flush_range(&space, 0, (MOST + 1) * page, page, 0);
	assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), KTLB_CFG_TLBI_COVER != KTLB_COVER_EXACT);
}

/* ---- costs ------------------------------------------------------------------------------------*/

static void strides_from_costs(void **unused)
{
	(void)unused;
	assert_int_equal(ktlb_strides((struct ktlb_costs){0, 100, 100}, 34), 34);
	assert_int_equal(ktlb_strides((struct ktlb_costs){100, 700, 0}, 34), 7);
	assert_int_equal(ktlb_strides((struct ktlb_costs){100, 700, 1}, 34), 8);
	assert_int_equal(ktlb_strides((struct ktlb_costs){100, 200, 2600}, 34), 28);
	assert_int_equal(ktlb_strides((struct ktlb_costs){100, 1, 0}, 34), 2);
	assert_int_equal(ktlb_strides((struct ktlb_costs){1, ~0u, ~0u}, 34), ~0u);
	/* and so they arrive, unless the kernel sets the number itself */
	start((struct ktlb_costs){100, 700, 1}, 0);
	assert_int_equal(ktlb_full_flush_strides(), 8);
	start((struct ktlb_costs){100, 700, 1}, 77);
	assert_int_equal(ktlb_full_flush_strides(), 77);
	start((struct ktlb_costs){0, 0, 0}, 0);
	assert_int_equal(ktlb_full_flush_strides(), KTLB_ARCH_FULL_FLUSH_STRIDES);
}

static void calibration(void **unused)
{
#if KTLB_CFG_CLOCK
	static uint64_t memory[64];
	struct ktlb_costs costs;

	(void)unused;
	start((struct ktlb_costs){0, 0, 0}, 0);
	fake_cost[FAKE_TLBI_VA] = 10;
	fake_cost[FAKE_TLBI_ID] = 50;
	fake_cost[FAKE_DSB_ISH] = 5;
	fake_refill = 95;
	costs = ktlb_calibrate(memory, sizeof(memory));
	assert_int_equal(costs.page, 64 * 10 + 5);
	assert_int_equal(costs.full, 64 * (50 + 5));
	assert_int_equal(costs.refill, 64 * 95);
	assert_int_equal(ktlb_full_flush_strides(), (64 * 150 + 644) / 645);
	/* what was measured is what a configuration takes */
	start(costs, 0);
	assert_int_equal(ktlb_full_flush_strides(), (64 * 150 + 644) / 645);
	/* a clock that stands still says nothing */
	memset(fake_cost, 0, sizeof(fake_cost));
	fake_refill = 0;
	start((struct ktlb_costs){0, 0, 0}, 99);
	costs = ktlb_calibrate(memory, sizeof(memory));
	assert_int_equal(costs.page | costs.full | costs.refill, 0);
	assert_int_equal(ktlb_full_flush_strides(), 99);

	fake_this()->irqs_off = 0;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_calibrate(memory, sizeof(memory))),
	                    "ktlb_calibrate: interrupts must be off");
	fake_this()->irqs_off = 1;
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_calibrate(memory, sizeof(memory))),
	                    "ktlb_calibrate: this CPU is not online");
#else
	(void)unused;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_numbers),     cmocka_unit_test(the_distribution_of_exact),
		cmocka_unit_test(every_size),         cmocka_unit_test(the_ends_of_the_halves),
		cmocka_unit_test(leaves_stay_whole),  cmocka_unit_test(decisions_are_counted),
		cmocka_unit_test(strides_from_costs), cmocka_unit_test(calibration),
	};

	return cmocka_run_group_tests_name("cover", tests, 0, 0);
}
