/* SPDX-License-Identifier: MIT */
/*
 * Which change of an x86-64 entry needs what: all pairs of those that differ in something that matters, as
 * tables. The rules are in the Intel SDM volume 3, "Optional Invalidation", "Accessed and Dirty Flags" and
 * "Caching Translation Information". Then the local half.
 */
#include "unit.h"

#define FRAME ((uint64_t)0x40000000)
#define OTHER ((uint64_t)0x80000000)
#define USER  ((uint64_t)4)
#define PCD   ((uint64_t)0x10)
#define G     ((uint64_t)0x100)
#define W     KTLB_X86_PTE_WRITE
#define A     KTLB_X86_PTE_ACCESSED
#define D     KTLB_X86_PTE_DIRTY
#define NX    KTLB_X86_PTE_NX
#define PS    KTLB_X86_PTE_LARGE

#define RO (FRAME | KTLB_X86_PTE_PRESENT | USER | A | NX)
#define RW (RO | W)

#define SAME     KTLB_GIVEN_SAME_TRANSLATION
#define ACCESSED KTLB_GIVEN_ACCESSED_FLUSHED

/* "." nothing, "l" local on fault, F flush, B break. There is never anything to publish. */
static char letter(uint32_t need)
{
	switch (need & ~(uint32_t)KTLB_NEED_TABLES) {
	case KTLB_NEED_NONE:
		return '.';
	case KTLB_NEED_LOCAL_ON_FAULT:
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
		{"empty", 0, ".............."},
		{"demand", RW & ~KTLB_X86_PTE_PRESENT, ".............."},
		{"rw", RW, "FF..FFFFF.F.FF"},
		{"rw, dirty", RW | D, "FFF.FFFFFFFFFF"},
		{"ro", RO, "FFll.lFFFlFlF."},
		{"rx", RO & ~NX, "FFFFF.FFFFFFFF"},
		{"rw, other frame", RW ^ FRAME ^ OTHER, "FFFFFF.FFFFFFF"},
		{"ro, other frame", RO ^ FRAME ^ OTHER, "FFFFFFl.FFFFFF"},
		{"rw, global", RW | G, "FFFFFFFF.FFFFF"},
		{"rw, old", RW & ~A, "FF..FFFFF.F.FF"},
		{"rw, not cached", RW | PCD, "FFFFFFFFFF.FFF"},
		{"rw, marked", RW | KTLB_X86_PTE_SOFTWARE, "FF..FFFFF.F.FF"},
		{"rw, kernel's", RW & ~USER, "FFFFFFFFFFFF.F"},
		{"ro, dirty", RO | D, "FFFlFFFFFFFFF."},
	};

	(void)unused;
	ARE_THE_NEEDS(row, 0, 0);
	ARE_THE_NEEDS(row, 0, SAME | KTLB_GIVEN_BBM_1 | KTLB_GIVEN_BBM_2);
	/* bit 7 is the memory type here, and the size of a page above */
	assert_int_equal(ktlb_need_flush(RW, RW | PS, 0, 0), KTLB_NEED_FLUSH);
	/* and large pages are pages */
	assert_int_equal(ktlb_need_flush(RO | PS, RW | PS, 1, 0), KTLB_NEED_LOCAL_ON_FAULT);
	assert_int_equal(ktlb_need_flush(RW | PS, RO | PS, 2, 0), KTLB_NEED_FLUSH);
}

/* If nobody clears the flag without a flush, an entry without it is in no TLB. */
static void accessed_flags_that_are_exact(void **unused)
{
	uint64_t old = RW & ~A;

	(void)unused;
	assert_int_equal(ktlb_need_flush(old, 0, 0, ACCESSED), KTLB_NEED_NONE);
	assert_int_equal(ktlb_need_flush(old, RW ^ FRAME ^ OTHER, 0, ACCESSED), KTLB_NEED_NONE);
	assert_int_equal(ktlb_need_flush(RW, old, 0, ACCESSED), KTLB_NEED_FLUSH);
	assert_int_equal(ktlb_need_flush(RO, old, 0, ACCESSED), KTLB_NEED_FLUSH);
	assert_int_equal(ktlb_need_flush(RW, 0, 0, ACCESSED), KTLB_NEED_FLUSH);
}

#define TABLE ((uint64_t)0x50000000 | KTLB_X86_PTE_PRESENT | W | USER | A)

static void large_pages_and_tables(void **unused)
{
	static const struct row nothing[] = {
		{"empty", 0, "......."},
		{"page", RW | PS, "F.FBBBB"},
		{"page, ro", RO | PS, "Fl.BBBB"},
		{"table", TABLE, "FBB.FF."},
		{"other table", TABLE ^ FRAME ^ OTHER, "FBBF.FF"},
		{"table, no writes", TABLE & ~W, "FBBlF.l"},
		{"table, marked", TABLE | KTLB_X86_TABLE_IGNORED, "FBB.FF."},
	};
	static const struct row same[] = {
		{"empty", 0, "..."},
		{"page", RW | PS, "F.F"},
		{"table", TABLE, "FF."},
	};

	(void)unused;
	for (uint32_t level = 1; level < 4; level++) {
		ARE_THE_NEEDS(nothing, level, 0);
		ARE_THE_NEEDS(same, level, SAME);
		assert_int_equal(ktlb_need_flush(TABLE, 0, level, 0),
		                 KTLB_NEED_FLUSH | KTLB_NEED_TABLES);
		assert_int_equal(ktlb_need_flush(TABLE, RW | PS, level, 0),
		                 KTLB_NEED_BREAK | KTLB_NEED_TABLES);
		assert_int_equal(ktlb_need_flush(RW | PS, TABLE, level, 0), KTLB_NEED_BREAK);
	}
}

/* ---- the local half ---------------------------------------------------------------------------*/

static void a_spurious_fault_is_this_cpus_own(void **unused)
{
	struct ktlb_space zero = {.root = 0};
	uint64_t clean;

	(void)unused;
	switch_on(1, &space[0]);
	switch_on(0, &space[0]);
	clean = fake_state(0)->loaded_slot->clean;
	fake_events = 0;
	ktlb_fix_spurious(&space[0], 0x3123);
	EXPECT({FAKE_INVLPG, 0, 0x3123});
	assert_int_equal(fake_state(0)->loaded_slot->clean, clean);
	assert_false(fake_this()->irqs_off);
	ktlb_fix_spurious(&space[1], 0x3123); /* is not loaded here */
	NOTHING();
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_fix_spurious(&zero, 0x1000)),
	                    "ktlb_fix_spurious: the space is not initialised");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(accessed_flags_that_are_exact),
		cmocka_unit_test(large_pages_and_tables),
		cmocka_unit_test_setup(a_spurious_fault_is_this_cpus_own, with_pcid),
	};

	return cmocka_run_group_tests_name("need", tests, 0, 0);
}
