/* SPDX-License-Identifier: MIT */
/*
 * Operands of TLBI and TTBR: pure functions, checked without a machine against the manual's field
 * layout (decoded here by a second, independent reading of it), against vectors computed by others
 * than this code, and over every count of pages that one instruction can have, 1 to 2^21.
 */
#include "unit.h"

#include <ktlb_arch/arch.h>

/* The fields of a range operand, as the manual lays them out. */
struct fields {
	uint64_t asid, tg, scale, num, ttl, base;
};

static struct fields decode_range(uint64_t operand)
{
	struct fields f = {operand >> 48,      operand >> 46 & 3, operand >> 44 & 3,
	                   operand >> 39 & 31, operand >> 37 & 3, operand & 0x1fffffffffull};

	return f;
}

static void ranges_by_vector(void **unused)
{
	(void)unused;
	/* base 1 GiB, id 0x2a, scale 1, num 7, no hint */
	assert_int_equal(ktlb_arm64_range_operand(0x40000000, 0x2a, 1, 7, 0, 12, 0),
	                 0x002a538000040000);
	/* 2^21 pages at 1 GiB: the count whose digit has six bits */
	assert_int_equal(ktlb_arm64_range_next(0x40000000, 0x200000, 0, 0, 12, 0).operand,
	                 0x00007f8000040000);
	assert_int_equal(ktlb_arm64_range_next(0x40000000, 0x200000, 0, 0, 12, 0).pages, 0x200000);
	assert_int_equal(ktlb_arm64_range_next(0x40000000, 0x1fffff, 0, 0, 12, 0).operand,
	                 0x00007f0000040000);
	assert_int_equal(ktlb_arm64_range_next(0x230000000, 0xffff, 0, 0, 12, 0).operand,
	                 0x00006f0000230000);
	assert_int_equal(ktlb_arm64_range_next(0x23f800000, 0x7ff, 0, 0, 12, 0).operand,
	                 0x00005f000023f800);
	assert_int_equal(ktlb_arm64_range_next(0x23ffc0000, 0x3f, 0, 0, 12, 0).operand,
	                 0x00004f000023ffc0);
	assert_int_equal(ktlb_arm64_range_next(0, 0x10000, 0, 0, 12, 0).operand,
	                 0x0000700000000000);
	assert_int_equal(ktlb_arm64_range_next(0, 0x800, 0, 0, 12, 0).operand, 0x0000600000000000);
	assert_int_equal(ktlb_arm64_range_next(0, 0x40, 0, 0, 12, 0).operand, 0x0000500000000000);
	assert_int_equal(ktlb_arm64_range_next(0, 2, 0, 0, 12, 0).operand, 0x0000400000000000);
	/* LPA2: bases in 64 KiB */
	assert_int_equal(ktlb_arm64_range_next(0x10000, 17, 0, 0, 12, 1).operand,
	                 0x0000438000000001);
	assert_int_equal(ktlb_arm64_range_next(0x10000, 18, 0, 0, 12, 1).operand,
	                 0x0000440000000001);
}

static void addresses_by_vector(void **unused)
{
	(void)unused;
	assert_int_equal(ktlb_arm64_va_operand(0xffff800012345678, 0x2a, 0, 12),
	                 0x002a0ff800012345);
	assert_int_equal(ktlb_arm64_va_operand(0xffff800012345000, 0, 0, 12), 0x00000ff800012345);
	assert_int_equal(ktlb_arm64_va_operand(0x400000, 0, 0, 12), 0x400);
	/* the very top: all of VA[55:12], nothing above */
	assert_int_equal(ktlb_arm64_va_operand(0xfffffffffffff000, 0, 0, 12), 0x00000fffffffffff);
	assert_int_equal(ktlb_arm64_va_operand(0xfffffffffffff000, 0xffff, 0, 12),
	                 0xffff0fffffffffff);
	/* hints: granule code in the upper half of the field, level in the lower */
	assert_int_equal(ktlb_arm64_va_operand(0x400000, 0, 3, 12), 0x0000700000000400);
	assert_int_equal(ktlb_arm64_va_operand(0x400000, 0, 2, 14), 0x0000a00000000400);
	assert_int_equal(ktlb_arm64_va_operand(0x400000, 0, 3, 16), 0x0000f00000000400);
	/* an address inside a granule names the granule */
	assert_int_equal(ktlb_arm64_va_operand(0x407fff, 0, 0, 14), 0x404);
	assert_int_equal(ktlb_arm64_va_operand(0x40ffff, 0, 0, 16), 0x400);
}

static void ids_in_their_field(void **unused)
{
	static const uint64_t id[] = {1, 0x2a, 0xff, 0x100, 0xffff};

	(void)unused;
	for (unsigned i = 0; i < sizeof(id) / sizeof(id[0]); i++) {
		assert_int_equal(ktlb_arm64_id_operand(id[i]), id[i] << 48);
		assert_int_equal(ktlb_arm64_ttbr(0x0000876543210001, id[i]),
		                 id[i] << 48 | 0x876543210001);
		/* what TTBR1 held before as an id goes, what it holds of a root stays */
		assert_int_equal(ktlb_arm64_ttbr(0xffff876543210001, id[i]),
		                 id[i] << 48 | 0x876543210001);
		assert_int_equal(decode_range(ktlb_arm64_range_operand(0xfffffffffffff000, id[i], 3,
		                                                       31, 3, 12, 0))
		                         .asid,
		                 id[i]);
	}
}

/*
 * What one entry maps of a leaf, and which level it is at, for every size from a page to 2^52. The
 * hint is the level of that entry or none: another one would let the hardware pass over it.
 */
static void levels(void **unused)
{
	static const uint32_t page[] = {12, 14, 16};

	(void)unused;
	for (unsigned p = 0; p < 3; p++) {
		for (uint32_t leaf = page[p]; leaf <= 52; leaf++) {
			uint32_t entry = ktlb_arm64_entry_shift(leaf, page[p]), level = 3;

			while (level > 0 && page[p] + (4 - level) * (page[p] - 3) <= leaf)
				level--;
			assert_int_equal(entry, page[p] + (3 - level) * (page[p] - 3));
			if (page[p] == 14 && level == 1)
				level = 0;
			assert_int_equal(ktlb_arm64_level(entry, page[p]), level);
		}
	}
	/* 64 KiB of 16 pages; 32 MiB of 16 blocks; 1 GiB; 512 GiB with LPA2 */
	assert_int_equal(ktlb_arm64_entry_shift(16, 12), 12);
	assert_int_equal(ktlb_arm64_entry_shift(25, 12), 21);
	assert_int_equal(ktlb_arm64_level(30, 12), 1);
	assert_int_equal(ktlb_arm64_level(39, 12), 0);
}

/*
 * The instructions for a range must tile it: no gap, no overlap, nothing beyond. Returns how many
 * there were.
 */
static unsigned tile(uint64_t va, uint64_t pages, uint64_t id, uint32_t level, uint32_t shift,
                     int lpa2)
{
	uint64_t base_shift = lpa2 ? 16 : shift;
	uint64_t next = va, left = pages;
	unsigned ops = 0;

	while (left) {
		struct ktlb_arch_op op = ktlb_arm64_range_next(next, left, id, level, shift, lpa2);
		uint64_t covered = 1;

		if (op.range) {
			struct fields f = decode_range(op.operand);

			if (f.asid != id || f.tg != (shift - 10) / 2 || f.ttl != level ||
			    f.base != (next >> base_shift & 0x1fffffffffull) ||
			    (next & (((uint64_t)1 << base_shift) - 1)) != 0)
				fail_msg("va %#lx, %lu pages: operand %#lx", (unsigned long)next,
				         (unsigned long)left, (unsigned long)op.operand);
			covered = (f.num + 1) << (5 * f.scale + 1);
			/* A hint wants the base aligned to its level's block. */
			if (level && (next >> shift) % ((uint64_t)1 << (3 - level) * (shift - 3)))
				fail_msg("va %#lx: not aligned for level %u", (unsigned long)next,
				         level);
		} else if ((op.operand & 0xfffffffffffull) !=
		           (next >> shift << shift >> 12 & 0xfffffffffffull)) {
			fail_msg("va %#lx: operand %#lx", (unsigned long)next,
			         (unsigned long)op.operand);
		}
		if (op.pages != covered || covered > left)
			fail_msg("va %#lx, %lu pages: covers %lu, says %lu", (unsigned long)next,
			         (unsigned long)left, (unsigned long)covered,
			         (unsigned long)op.pages);
		next += covered << shift;
		left -= covered;
		ops++;
	}
	return ops;
}

static void every_count_of_pages(void **unused)
{
	uint64_t histogram[6] = {0};

	(void)unused;
	for (uint64_t pages = 1; pages <= KTLB_ARCH_RANGE_PAGES_MAX; pages++) {
		unsigned ops = tile(0x40000000, pages, 0x2a, 0, 12, 0);

		if (ops > 5 || ops != ktlb_arch_range_ops(pages))
			fail_msg("%lu pages take %u instructions, foretold %lu",
			         (unsigned long)pages, ops,
			         (unsigned long)ktlb_arch_range_ops(pages));
		if (pages <= 4096)
			histogram[ops]++;
	}
	/* The distribution that is known for 1..4096: no other decomposition takes fewer. */
	assert_int_equal(histogram[1], 65);
	assert_int_equal(histogram[2], 1086);
	assert_int_equal(histogram[3], 1984);
	assert_int_equal(histogram[4], 961);
}

static void every_granule_and_half(void **unused)
{
	static const uint32_t shift[] = {12, 14, 16};

	(void)unused;
	for (unsigned g = 0; g < 3; g++) {
		for (uint64_t pages = 1; pages <= KTLB_ARCH_RANGE_PAGES_MAX;
		     pages += pages < 5000 ? 1 : 997) {
			/* from the bottom, in the middle, up to the very top of the kernel's half */
			tile(0, pages, 1, 0, shift[g], 0);
			tile((uint64_t)0xffff8 << 44, pages, 0, 0, shift[g], 0);
			tile(-(pages << shift[g]), pages, 0, 0, shift[g], 0);
			/* up to the top of a 48-bit user half */
			tile(((uint64_t)1 << 48) - (pages << shift[g]), pages, 0xffff, 0, shift[g],
			     0);
		}
	}
}

static void lpa2_counts_in_64_kib(void **unused)
{
	(void)unused;
	for (uint32_t shift = 12; shift <= 14; shift += 2) {
		uint64_t per_64k = (uint64_t)1 << (16 - shift);

		for (uint64_t start = 0; start < per_64k; start++) {
			for (uint64_t pages = 1; pages <= 70000; pages += pages < 5000 ? 1 : 97) {
				unsigned ops = tile(0x10000000 + (start << shift), pages, 3, 0,
				                    shift, 1);
				uint64_t lead = (per_64k - start) % per_64k;

				if (lead > pages)
					lead = pages;
				if (ops > lead + 5)
					fail_msg("start %lu, %lu pages: %u instructions",
					         (unsigned long)start, (unsigned long)pages, ops);
			}
		}
	}
	/* known: (start, pages) -> instructions */
	assert_int_equal(tile(0x0000, 33, 0, 0, 12, 1), 2);
	assert_int_equal(tile(0x1000, 33, 0, 0, 12, 1), 16);
	assert_int_equal(tile(0xf000, 18, 0, 0, 12, 1), 3);
	assert_int_equal(tile(0x1000, 16, 0, 0, 12, 1), 16);
	assert_int_equal(tile(0x8000, 512, 0, 0, 12, 1), 10);
	assert_int_equal(tile(0x1000, 4096, 0, 0, 12, 1), 19);
	/* two to the 21 pages, at every offset, and just below and above */
	for (uint64_t start = 0; start < 16; start++)
		for (uint64_t pages = 0x1ffff0; pages <= 0x200010; pages++)
			tile(start << 12, pages, 0, 0, 12, 1);
}

static void hints_keep_their_alignment(void **unused)
{
	(void)unused;
	for (uint64_t blocks = 1; blocks <= 4096; blocks++) {
		tile(0x40000000, blocks * 512, 1, 2, 12, 0);
		tile(-(blocks << 21), blocks * 512, 0, 2, 12, 0);
		tile(0x40000000, blocks * 512, 1, 2, 12, 1);
		if (blocks <= 8)
			tile((uint64_t)5 << 30, blocks << 18, 1, 1, 12, 0);
		if (blocks <= 1024)
			tile((uint64_t)3 << 25, blocks << 11, 1, 2, 14, 0);
		if (blocks <= 256)
			tile((uint64_t)3 << 29, blocks << 13, 1, 2, 16, 0);
	}
}

/* More than one instruction can cover: nothing is left out, and it ends. */
static void beyond_the_largest_range(void **unused)
{
	(void)unused;
	for (uint64_t pages = KTLB_ARCH_RANGE_PAGES_MAX - 2;
	     pages <= KTLB_ARCH_RANGE_PAGES_MAX + 70; pages++)
		assert_int_equal(tile(0x40000000, pages, 7, 0, 12, 0), ktlb_arch_range_ops(pages));
	assert_int_equal(tile(0, 9 << 18, 7, 1, 12, 0), 2);
	assert_int_equal(tile(0, 5 * KTLB_ARCH_RANGE_PAGES_MAX, 7, 0, 12, 0), 5);
	/* all of a 48-bit half */
	assert_int_equal(tile((uint64_t)0xffff << 48, (uint64_t)1 << 36, 0, 0, 12, 0), 1 << 15);
}

static void halves(void **unused)
{
	(void)unused;
	assert_true(ktlb_arch_is_user(0) && !ktlb_arch_is_kernel(0));
	assert_true(ktlb_arch_is_user(0x007fffffffffffff));
	assert_false(ktlb_arch_is_user(0x0080000000000000));
	assert_false(ktlb_arch_is_kernel(0x0080000000000000));
	assert_true(ktlb_arch_is_kernel(0xff80000000000000));
	assert_true(ktlb_arch_is_kernel(0xffffffffffffffff));
	assert_false(ktlb_arch_is_kernel(0xff7fffffffffffff));
	assert_false(ktlb_arch_is_user(0xff7fffffffffffff));
}

static void facts_of_the_registers(void **unused)
{
	uint64_t tcr = fake_cpu[0].tcr, as = (uint64_t)1 << 36;
	struct ktlb_arch_facts f;

	(void)unused;
	f = ktlb_arm64_facts(2 << 4, (uint64_t)1 << 48, (uint64_t)2 << 56, tcr);
	assert_null(f.wrong);
	assert_int_equal(f.id_bits, 16);
	assert_int_equal(f.features, KTLB_FEATURE_TLBI_RANGE | KTLB_FEATURE_TTL);

	/* 16 bits that TCR_EL1.AS does not switch on are 8; outer-shareable ops alone no ranges */
	f = ktlb_arm64_facts(2 << 4, 0, (uint64_t)1 << 56, tcr & ~as);
	assert_int_equal(f.id_bits, 8);
	assert_int_equal(f.features, 0);
	f = ktlb_arm64_facts(0, 0, 0, tcr);
	assert_int_equal(f.id_bits, 8);

	f = ktlb_arm64_facts(0, 0, 0, tcr ^ (uint64_t)1 << 22);
	assert_string_equal(f.wrong, "ktlb_cpu_online: TCR_EL1.A1 differs from "
	                             "KTLB_CFG_ARM64_ASID_IN_TTBR1");
	for (uint64_t tg = 1; tg < 4; tg++) {
		f = ktlb_arm64_facts(0, 0, 0, tcr ^ tg << 14);
		assert_string_equal(f.wrong, "ktlb_cpu_online: TCR_EL1.TG0 or TG1 differs from "
		                             "KTLB_CFG_ARM64_GRANULE_SHIFT");
		f = ktlb_arm64_facts(0, 0, 0, tcr ^ tg << 30);
		assert_string_equal(f.wrong, "ktlb_cpu_online: TCR_EL1.TG0 or TG1 differs from "
		                             "KTLB_CFG_ARM64_GRANULE_SHIFT");
	}
	f = ktlb_arm64_facts(0, 0, 0, tcr ^ (uint64_t)1 << 59);
	assert_string_equal(f.wrong,
	                    "ktlb_cpu_online: TCR_EL1.DS differs from KTLB_CFG_ARM64_LPA2");
}

static int setup(void **unused)
{
	(void)unused;
	fake_reset(16, 1, 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_by_vector),
		cmocka_unit_test(addresses_by_vector),
		cmocka_unit_test(ids_in_their_field),
		cmocka_unit_test(levels),
		cmocka_unit_test(every_count_of_pages),
		cmocka_unit_test(every_granule_and_half),
		cmocka_unit_test(lpa2_counts_in_64_kib),
		cmocka_unit_test(hints_keep_their_alignment),
		cmocka_unit_test(beyond_the_largest_range),
		cmocka_unit_test(halves),
		cmocka_unit_test(facts_of_the_registers),
	};

	return cmocka_run_group_tests_name("operands", tests, setup, 0);
}
