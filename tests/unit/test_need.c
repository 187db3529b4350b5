/* SPDX-License-Identifier: MIT */
/*
 * Which change of an arm64 descriptor needs what: all pairs of those that differ in something that matters,
 * as tables. The architecture's rules are in the Arm ARM DDI 0487, "Using break-before-make when updating
 * translation table entries" and "Support levels for changing table or block size". Then the local half.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define FRAME    ((uint64_t)0x40000000)
#define OTHER    ((uint64_t)0x80000000)
#define TYPE     ((uint64_t)1 << 2) /* AttrIndx: 1 is normal memory, 2 a device */
#define SHARE    ((uint64_t)3 << 8)
#define NOT_LAST ((uint64_t)KTLB_ARM64_DESC_TABLE)

#define RW                                                                                   \
	(FRAME | KTLB_ARM64_DESC_NO_EXEC | KTLB_ARM64_DESC_NG | KTLB_ARM64_DESC_AF | SHARE | \
	 KTLB_ARM64_DESC_USER | TYPE | KTLB_ARM64_DESC_TABLE | KTLB_ARM64_DESC_VALID)
#define RO KTLB_ARM64_DESC_READ_ONLY

#define SAME     KTLB_GIVEN_SAME_TRANSLATION
#define ACCESSED KTLB_GIVEN_ACCESSED_FLUSHED

/* "." nothing; the others with a publish: "n" nothing else, "l" local on fault; F flush, B break. */
static char letter(uint32_t need)
{
	switch (need & ~(uint32_t)KTLB_NEED_TABLES) {
	case KTLB_NEED_NONE:
		return '.';
	case KTLB_NEED_NONE | KTLB_NEED_PUBLISH:
		return 'n';
	case KTLB_NEED_LOCAL_ON_FAULT | KTLB_NEED_PUBLISH:
		return 'l';
	case KTLB_NEED_FLUSH:
		return 'F';
	case KTLB_NEED_BREAK:
		return 'B';
	default:
		return '?';
	}
}

struct row {
	const char *name;
	uint64_t entry;
	const char *needs; /* a letter for each row's entry as the new one */
};

static void are_the_needs(const struct row *row, unsigned rows, uint32_t level, uint32_t given)
{
	for (unsigned from = 0; from < rows; from++) {
		assert_int_equal(strlen(row[from].needs), rows);
		for (unsigned to = 0; to < rows; to++) {
			uint32_t need = ktlb_need_flush(row[from].entry, row[to].entry, level,
			                                given);

			if (letter(need) != row[from].needs[to])
				print_error("%s -> %s: %c, not %c\n", row[from].name, row[to].name,
				            letter(need), row[from].needs[to]);
			assert_int_equal(letter(need), row[from].needs[to]);
		}
	}
}
#define ARE_THE_NEEDS(row, level, given) \
	are_the_needs(row, sizeof(row) / sizeof(row[0]), level, given)

static void pages(void **unused)
{
	static const struct row row[] = {
		{"empty", 0, "..nnnnnnnnnnnn"},
		{"demand", RW & ~KTLB_ARM64_DESC_VALID, "..nnnnnnnnnnnn"},
		{"rw", RW, "FF.FFBBBFnBnBF"},
		{"ro", RW | RO, "FFl.lBBBllBlBF"},
		{"rx", (RW | RO) & ~KTLB_ARM64_DESC_NO_EXEC, "FFFF.BBBFFBFBF"},
		{"rw, other frame", RW ^ FRAME ^ OTHER, "FFBBB.FBBBBBBB"},
		{"ro, other frame", (RW | RO) ^ FRAME ^ OTHER, "FFBBBl.BBBBBBB"},
		{"rw, global", RW & ~KTLB_ARM64_DESC_NG, "FFFFFBB.FFBFBF"},
		{"clean", RW | RO | KTLB_ARM64_DESC_DBM, "FFlFFBBB.lBlBF"},
		{"rw, old", RW & ~KTLB_ARM64_DESC_AF, "FFnFFBBBF.BnBF"},
		{"rw, device", RW ^ 3 * TYPE, "FFBBBBBBBB.BBB"},
		{"rw, marked", RW | KTLB_ARM64_DESC_SOFTWARE, "FFnFFBBBFnB.BF"},
		{"rw, contiguous", RW | KTLB_ARM64_DESC_CONT, "FFBBBBBBBBBB.B"},
		{"rw, kernel's", RW & ~KTLB_ARM64_DESC_USER, "FFFFFBBBFFBFB."},
	};

	(void)unused;
	ARE_THE_NEEDS(row, 0, 0);
	ARE_THE_NEEDS(row, 0, SAME | KTLB_GIVEN_BBM_1); /* which do not matter to pages */
	/* the code of a block, which is none in the last level */
	assert_int_equal(ktlb_need_flush(RW & ~KTLB_ARM64_DESC_TABLE, RW, 0, 0), KTLB_NEED_PUBLISH);
	assert_int_equal(ktlb_need_flush(RW, RW & ~KTLB_ARM64_DESC_TABLE, 0, 0), KTLB_NEED_FLUSH);
}

/* If nobody clears the flag without a flush, an entry without it is in no TLB. */
static void accessed_flags_that_are_exact(void **unused)
{
	uint64_t old = RW & ~KTLB_ARM64_DESC_AF;

	(void)unused;
	assert_int_equal(ktlb_need_flush(old, 0, 0, ACCESSED), KTLB_NEED_NONE);
	assert_int_equal(ktlb_need_flush(old, RW, 0, ACCESSED), KTLB_NEED_PUBLISH);
	assert_int_equal(ktlb_need_flush(old, RW ^ FRAME ^ OTHER, 0, ACCESSED), KTLB_NEED_PUBLISH);
	assert_int_equal(ktlb_need_flush(RW, old, 0, ACCESSED), KTLB_NEED_FLUSH);
	assert_int_equal(ktlb_need_flush(RW | RO, old, 0, ACCESSED), KTLB_NEED_FLUSH);
	/* an accessed flag of a table says nothing of what is below */
	assert_int_equal(ktlb_need_flush(FRAME | 3, 0, 1, ACCESSED),
	                 KTLB_NEED_FLUSH | KTLB_NEED_TABLES);
}

static void the_contiguous_bit(void **unused)
{
	uint64_t run = RW | KTLB_ARM64_DESC_CONT;

	(void)unused;
	assert_int_equal(ktlb_need_flush(RW, run, 0, KTLB_GIVEN_BBM_2), KTLB_NEED_FLUSH);
	assert_int_equal(ktlb_need_flush(run, RW, 0, KTLB_GIVEN_BBM_2), KTLB_NEED_FLUSH);
	assert_int_equal(ktlb_need_flush(run, RW ^ FRAME ^ OTHER, 0, KTLB_GIVEN_BBM_2),
	                 KTLB_NEED_BREAK);
}

#define BLOCK      (RW & ~NOT_LAST)
#define BLOCK_NT   (BLOCK | KTLB_ARM64_DESC_NT)
#define TABLE      ((uint64_t)0x50000003)
#define NO_WRITE   ((uint64_t)1 << 62)
#define NOT_SECURE ((uint64_t)1 << 63)

static void blocks_and_tables(void **unused)
{
	static const struct row nothing[] = {
		{"empty", 0, ".nnnnnnn"},
		{"block", BLOCK, "F.BFBBBB"},
		{"block, nT", BLOCK_NT, "FB.BBBBB"},
		{"block, ro", BLOCK | RO, "FlB.BBBB"},
		{"table", TABLE, "FBBB.BFB"},
		{"other table", TABLE ^ FRAME ^ OTHER, "FBBBB.BB"},
		{"table, no writes", TABLE | NO_WRITE, "FBBBlB.B"},
		{"table, not secure", TABLE | NOT_SECURE, "FBBBBBB."},
	};
	static const struct row same_bbm_1[] = {
		{"empty", 0, ".nnnn"},
		{"block", BLOCK, "F.FBB"},
		{"block, nT", BLOCK_NT, "FF.FF"},
		{"table", TABLE, "FBF.F"},
		{"other table", TABLE ^ FRAME ^ OTHER, "FBFF."},
	};
	static const struct row same_bbm_2[] = {
		{"empty", 0, ".nnnn"},
		{"block", BLOCK, "F.FFF"},
		{"block, nT", BLOCK_NT, "FF.FF"},
		{"table", TABLE, "FFF.F"},
		{"other table", TABLE ^ FRAME ^ OTHER, "FFFF."},
	};

	(void)unused;
	for (uint32_t level = 1; level < 4; level++) {
		ARE_THE_NEEDS(nothing, level, 0);
		ARE_THE_NEEDS(same_bbm_1, level, SAME | KTLB_GIVEN_BBM_1);
		ARE_THE_NEEDS(same_bbm_2, level, SAME | KTLB_GIVEN_BBM_2);
		/* the level alone does not tell that both map the same */
		assert_int_equal(ktlb_need_flush(BLOCK, TABLE, level, KTLB_GIVEN_BBM_2),
		                 KTLB_NEED_BREAK);
		/* what a table led to goes with it */
		assert_int_equal(ktlb_need_flush(TABLE, 0, level, 0),
		                 KTLB_NEED_FLUSH | KTLB_NEED_TABLES);
		assert_int_equal(ktlb_need_flush(TABLE, BLOCK, level, 0),
		                 KTLB_NEED_BREAK | KTLB_NEED_TABLES);
		assert_int_equal(ktlb_need_flush(TABLE, TABLE | 1u << 2, level, 0),
		                 KTLB_NEED_PUBLISH);
	}
}

/* Bits 9:8 of a table are ignored, or with LPA2 a part of its address. */
static void tables_and_lpa2(void **unused)
{
	(void)unused;
	assert_int_equal(ktlb_need_flush(TABLE, TABLE | 1u << 8, 1, 0),
	                 KTLB_CFG_ARM64_LPA2 ? KTLB_NEED_BREAK | KTLB_NEED_TABLES
	                                     : KTLB_NEED_PUBLISH);
}

/* ---- the local half ---------------------------------------------------------------------------*/

static struct ktlb_space space, idle_space;

static void a_spurious_fault_is_this_cpus_own(void **unused)
{
	struct ktlb_config config = {.cpus = 1, .kernel_root = FAKE_EMPTY_TABLE};
	struct ktlb_space zero = {.root = 0};

	(void)unused;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&idle_space, 0, sizeof(idle_space));
	ktlb_space_init(&space, 1 << 20);
	ktlb_space_init(&idle_space, 2 << 20);
	ktlb_switch(&space);
	fake_clear_log();
	ktlb_fix_spurious(&space, 0x7fff0123);
	assert_int_equal(fake_events, 4);
	assert_int_equal(fake_log[0].op, FAKE_DSB_NSH); /* [B44] */
	assert_int_equal(fake_log[1].op, FAKE_TLBI_VA_OWN);
	assert_int_equal(
		fake_log[1].operand,
		ktlb_arch_va_operand(0x7fff0123, KTLB_ID_NUMBER(ktlb_space_id(&space)), 0));
	assert_int_equal(fake_log[2].op, FAKE_DSB_NSH); /* [B43] */
	assert_int_equal(fake_log[3].op, FAKE_ISB);
	fake_clear_log();
	ktlb_fix_spurious(&idle_space, 0x1000); /* never ran: nothing can be cached */
	assert_int_equal(fake_events, 0);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_fix_spurious(&zero, 0x1000)),
	                    "ktlb_fix_spurious: the space is not initialised");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(accessed_flags_that_are_exact),
		cmocka_unit_test(the_contiguous_bit),
		cmocka_unit_test(blocks_and_tables),
		cmocka_unit_test(tables_and_lpa2),
		cmocka_unit_test(a_spurious_fault_is_this_cpus_own),
	};

	return cmocka_run_group_tests_name("need", tests, 0, 0);
}
