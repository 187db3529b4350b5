/* SPDX-License-Identifier: MIT */
/*
 * arm64's instructions on the simulated CPU: when a TLBI and a TTBR write take effect, and how
 * operands are read. Built for each place of the ASID, and with and without LPA2. Operands are
 * written out here as the manual has them; arch.h makes them in the library.
 */
#include <ktlb/config.h>
#include <ktlb_arch/insn.h>

#include "stub.h"

#define IN_TTBR1 KTLB_CFG_ARM64_ASID_IN_TTBR1
#define LPA2     KTLB_CFG_ARM64_LPA2
#define ID(n)    ((uint64_t)(n) << 48)
#define IDS_ALL  KTLB_SCOPE_KERNEL

enum {
	ASID16,
	ASID8,
	NO_RANGE_NO_TTL,
	REPEAT_TLBI
};

static void begin(unsigned machine)
{
	world_begin();
	sim_machine(machine);
	sim_arch_reset();
	run_begin();
}

static int each(void **state)
{
	(void)state;
	begin(ASID16);
	return 0;
}

/* As the library does it, in the end; all is in effect. */
static void load(uint32_t cpu, uint64_t root, uint64_t id)
{
	on(cpu);
	if (IN_TTBR1) {
		ktlb_insn_write_ttbr0(KERNEL_ROOT);
		ktlb_insn_isb();
		ktlb_insn_write_ttbr1(ID(id));
		ktlb_insn_isb();
		ktlb_insn_write_ttbr0(root);
	} else {
		ktlb_insn_write_ttbr0(root | ID(id));
	}
	ktlb_insn_isb();
}

/* On cpu1 under id 7: A, cached, then cleared in memory. */
static void cache_and_clear(void)
{
	load(1, A_ROOT, 7);
	store(w.a_page, 0);
	store(w.a_page + 1, 0);
	store(w.a_upper, 0);
	store(w.kernel_page, 0);     /* global */
	store(w.kernel_page + 1, 0); /* not */
	store(w.kernel_upper, 0);
	on(0);
}

static void is_cached(int a_page, int a_upper, int global, int kernel_page, int kernel_upper)
{
	assert_int_equal(tlb_usable(1, w.a_page), a_page);
	assert_int_equal(tlb_upper_usable(1, w.a_upper), a_upper);
	assert_int_equal(tlb_usable(1, w.kernel_page), global);
	assert_int_equal(tlb_usable(1, w.kernel_page + 1), kernel_page);
	assert_int_equal(tlb_upper_usable(1, w.kernel_upper), kernel_upper);
	is_clean();
}

/* VA[55:12] in [43:0]. */
static uint64_t va_operand(uint64_t va, uint64_t id, uint64_t ttl)
{
	return ID(id) | ttl << 44 | (va >> 12 & 0xfffffffffff);
}

#define NO_HINT   0u
#define TTL_4K(n) (4u | (n))

static uint64_t range_operand(uint64_t va, uint64_t id, uint64_t tg, uint64_t scale, uint64_t num,
                              uint64_t ttl)
{
	return ID(id) | tg << 46 | scale << 44 | num << 39 | ttl << 37 |
	       (va >> (LPA2 ? 16 : 12) & 0x1fffffffff);
}

static void tlbi(enum ktlb_scope scope, int leaf_only, int range, uint64_t operand)
{
	begin(ASID16);
	cache_and_clear();
	ktlb_insn_broadcast_va(scope, leaf_only, range, operand);
	ktlb_insn_dsb_ish();
}

/* ---- completion -------------------------------------------------------------------------------*/

static void a_tlbi_is_done_at_the_dsb_of_its_cpu(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_broadcast_id(ID(7));
	is_cached(1, 1, 1, 1, 1);
	ktlb_insn_dsb_ishst();
	ktlb_insn_dsb_nsh();
	ktlb_insn_isb();
	on(2);
	ktlb_insn_dsb_ish();
	is_cached(1, 1, 1, 1, 1);
	on(0);
	ktlb_insn_dsb_ish();
	is_cached(0, 0, 1, 0, 0);
}

static void the_local_tlbi_needs_dsb_nsh_only(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_tlbi_vmalle1();
	ktlb_insn_dsb_ish();
	is_cached(1, 1, 1, 1, 1); /* it was cpu0's */
	on(1);
	ktlb_insn_tlbi_vmalle1();
	ktlb_insn_dsb_ishst();
	is_cached(1, 1, 1, 1, 1);
	ktlb_insn_dsb_nsh();
	ktlb_insn_isb();
	is_cached(0, 0, 0, 0, 0);
}

static void the_local_tlbi_is_done_by_dsb_ish_too(void **state)
{
	(void)state;
	cache_and_clear();
	on(1);
	ktlb_insn_tlbi_vmalle1();
	ktlb_insn_dsb_ish();
	ktlb_insn_isb();
	is_cached(0, 0, 0, 0, 0);
}

/* The erratum: a TLBI and its DSB are half of it, another TLBI and DSB the other, on whichever CPU. */
static void with_the_erratum_once_is_not_enough(void **state)
{
	(void)state;
	sim_machine(REPEAT_TLBI);
	load(1, A_ROOT, 7);
	on(0);
	store(w.a_page, 0);
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, NO_HINT));
	ktlb_insn_dsb_ish();
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	on(2);
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 0, 0);
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_usable(1, w.a_page), 0);
	sim_machine(ASID16);
}

static void an_entry_that_walkers_still_read_comes_back(void **state)
{
	(void)state;
	load(1, A_ROOT, 7);
	on(0);
	lagging();
	store(w.a_page, 0);
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, NO_HINT));
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	ktlb_insn_dsb_ishst();
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, NO_HINT));
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_usable(1, w.a_page), 0);
}

/* ---- which entries ----------------------------------------------------------------------------*/

static void by_scope(void **state)
{
	(void)state;
	begin(ASID16);
	cache_and_clear();
	ktlb_insn_broadcast_all();
	ktlb_insn_dsb_ish();
	is_cached(0, 0, 0, 0, 0);
	begin(ASID16);
	cache_and_clear();
	ktlb_insn_broadcast_id(ID(8));
	ktlb_insn_dsb_ish();
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 8, NO_HINT));
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(KERNEL, 8, NO_HINT));
	is_cached(1, 1, 0, 1, 1); /* global leaves match every id */
	tlbi(IDS_ALL, 0, 0, va_operand(KERNEL + PAGE, 0, NO_HINT));
	is_cached(1, 1, 1, 0, 0);
	tlbi(IDS_ALL, 0, 0, va_operand(USER, 0, NO_HINT));
	is_cached(0, 0, 1, 1, 1);
}

static void by_level(void **state)
{
	(void)state;
	tlbi(KTLB_SCOPE_ID, 1, 0, va_operand(USER, 7, NO_HINT));
	is_cached(0, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, NO_HINT));
	is_cached(0, 0, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER + 5 * PAGE, 7, NO_HINT));
	is_cached(1, 0, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER + BLOCK, 7, NO_HINT));
	is_cached(1, 1, 1, 1, 1);
}

static void hints(void **state)
{
	(void)state;
	tlbi(KTLB_SCOPE_ID, 1, 0, va_operand(USER, 7, TTL_4K(3)));
	is_cached(0, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, TTL_4K(3)));
	is_cached(0, 0, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, TTL_4K(2)));
	is_cached(1, 1, 1, 1, 1); /* another level */
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, TTL_4K(1)));
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, 8 | 3)); /* 16 KiB granule */
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, TTL_4K(0)));
	is_cached(LPA2, LPA2, 1, 1, 1); /* level 0 exists with LPA2 only; else no hint */
}

static void block(uint64_t ttl, int stays)
{
	begin(ASID16);
	load(1, A_ROOT, 7);
	store(w.a_upper + 1, leaf(0x400000, PTE_LEAF));
	store(w.a_upper + 1, 0);
	on(0);
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 0, va_operand(USER + BLOCK + 5 * PAGE, 7, ttl));
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_usable(1, w.a_upper + 1), stays ? V(1) : 0);
}

static void blocks(void **state)
{
	(void)state;
	block(NO_HINT, 0);
	block(TTL_4K(2), 0);
	block(TTL_4K(3), 1);
}

/* (num + 1) * 2^(5 * scale + 1) pages. */
static void ranges(void **state)
{
	uint64_t before = USER - 2 * PAGE, base = USER - ((uint64_t)1 << 16);

	(void)state;
	tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(USER, 7, 1, 0, 0, 0));
	is_cached(0, 1, 1, 1, 1);
	assert_int_equal(tlb_usable(1, w.a_page + 1), 0);
	tlbi(KTLB_SCOPE_ID, 0, 1, range_operand(USER, 7, 1, 0, 0, 3));
	is_cached(0, 0, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 1, range_operand(USER, 7, 2, 0, 0, 0)); /* TG: 16 KiB */
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 1, range_operand(USER, 7, 1, 0, 0, 2)); /* TTL: blocks */
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 0, 1, range_operand(USER, 8, 1, 0, 0, 0));
	is_cached(1, 1, 1, 1, 1);
	tlbi(IDS_ALL, 0, 1, range_operand(KERNEL, 0, 1, 0, 0, 0));
	is_cached(1, 1, 0, 0, 0);
	if (LPA2) { /* units of 64 KiB: 16 pages, which end at USER, or one more pair */
		tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(base, 7, 1, 0, 7, 0));
		is_cached(1, 1, 1, 1, 1);
		tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(base, 7, 1, 0, 8, 0));
		is_cached(0, 1, 1, 1, 1);
	} else {
		tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(before, 7, 1, 0, 0, 0));
		is_cached(1, 1, 1, 1, 1);
		tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(before, 7, 1, 0, 1, 0));
		is_cached(0, 1, 1, 1, 1);
	}
	/* Scale 1: 64 pages a step. */
	tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(USER - 64 * PAGE, 7, 1, 1, 0, 0));
	is_cached(1, 1, 1, 1, 1);
	tlbi(KTLB_SCOPE_ID, 1, 1, range_operand(USER - 64 * PAGE, 7, 1, 1, 1, 0));
	is_cached(0, 1, 1, 1, 1);
}

/* A hint for blocks whose base is no multiple of one is no use. */
static void ranges_of_blocks(void **state)
{
	uint64_t base[] = {USER + BLOCK, USER + BLOCK + 16 * PAGE};

	(void)state;
	for (int misaligned = 0; misaligned < 2; misaligned++) {
		begin(ASID16);
		load(1, A_ROOT, 7);
		store(w.a_upper + 1, leaf(0x400000, PTE_LEAF));
		store(w.a_upper + 1, 0);
		on(0);
		ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 1,
		                       range_operand(base[misaligned], 7, 1, 0, 0, 2));
		ktlb_insn_dsb_ish();
		assert_int_equal(tlb_usable(1, w.a_upper + 1), misaligned ? V(1) : 0);
	}
}

static void reserved_bits_and_absent_instructions(void **state)
{
	(void)state;
	ktlb_insn_broadcast_id(ID(7) | 1);
	is_violated("fault");
	ktlb_insn_broadcast_va(IDS_ALL, 0, 0, va_operand(KERNEL, 1, NO_HINT));
	is_violated("fault");
	begin(NO_RANGE_NO_TTL);
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, TTL_4K(3)));
	is_violated("fault");
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 1, range_operand(USER, 7, 1, 0, 0, 0));
	is_violated("fault");
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, va_operand(USER, 7, NO_HINT));
	is_clean();
}

/* ---- the translation table bases --------------------------------------------------------------*/

static void the_former_root_is_walked_until_the_isb(void **state)
{
	(void)state;
	load(0, A_ROOT, 7);
	assert_int_equal(tlb_id(0), 7);
	ktlb_insn_write_ttbr0(KERNEL_ROOT);
	assert_int_equal(tlb_root_loaded(A_ROOT), 0);
	assert_int_equal(tlb_root_loaded(KERNEL_ROOT), 0);
	ktlb_insn_dsb_ish();
	assert_int_equal(tlb_root_loaded(A_ROOT), 0);
	ktlb_insn_isb();
	assert_int_equal(tlb_root_loaded(A_ROOT), -1);
	is_clean();
}

static void exceptions_synchronise_too(void **state)
{
	(void)state;
	load(0, A_ROOT, 7);
	ktlb_insn_write_ttbr0(KERNEL_ROOT);
	sim_enter_user();
	assert_int_equal(tlb_root_loaded(A_ROOT), -1);
	load(0, A_ROOT, 7);
	ktlb_insn_write_ttbr0(KERNEL_ROOT);
	sim_enter_interrupt();
	assert_int_equal(tlb_root_loaded(A_ROOT), -1);
}

/* With both in one register no walk mixes them; with two each does as it likes. */
static void root_and_id(void **state)
{
	(void)state;
	load(0, A_ROOT, 7);
	if (!IN_TTBR1) {
		ktlb_insn_write_ttbr0(B_ROOT | ID(8));
		ktlb_insn_isb();
		assert_int_equal(tlb_foreign(0, w.b_page), -1);
		return;
	}
	ktlb_insn_write_ttbr1(ID(8)); /* A is still loaded */
	ktlb_insn_isb();
	ktlb_insn_write_ttbr0(B_ROOT);
	ktlb_insn_isb();
	assert_int_equal(tlb_id(0), 8);
	assert_int_equal(tlb_foreign(0, w.b_page), (int)w.a_page);
}

static void two_registers_without_an_isb(void **state)
{
	(void)state;
	if (!IN_TTBR1)
		return;
	load(0, A_ROOT, 7);
	ktlb_insn_write_ttbr0(B_ROOT);
	ktlb_insn_write_ttbr1(ID(8));
	ktlb_insn_isb();
	assert_int_equal(tlb_foreign(0, w.b_page), (int)w.a_page); /* A under the new id */
	load(0, KERNEL_ROOT, 7);
	ktlb_insn_write_ttbr0(A_ROOT);
	ktlb_insn_isb();
	assert_int_equal(tlb_foreign(0, w.a_page), (int)w.b_page); /* B under the old one */
	begin(ASID16);
	load(0, A_ROOT, 7);
	ktlb_insn_write_ttbr1(ID(8));
	ktlb_insn_write_ttbr0(B_ROOT);
	ktlb_insn_isb();
	store(w.b_page, 0);
	load(0, KERNEL_ROOT, 7);
	assert_int_equal(tlb_usable(0, w.b_page),
	                 V(0)); /* and again, the writes the other way round */
}

static void through_the_empty_table_nothing_mixes(void **state)
{
	(void)state;
	load(0, A_ROOT, 7);
	load(0, B_ROOT, 8);
	assert_int_equal(tlb_foreign(0, w.b_page), -1);
	load(0, A_ROOT, 7);
	assert_int_equal(tlb_foreign(0, w.a_page), -1);
}

static void ttbr_violations(void **state)
{
	(void)state;
	ktlb_insn_write_ttbr0(A_ROOT | 1);
	is_violated("cnp");
	ktlb_insn_write_ttbr0(0x5000);
	is_violated("unknown-root");
	ktlb_insn_write_ttbr1(0x5000);
	is_violated("unknown-root");
}

static void ids_of_8_bits(void **state)
{
	(void)state;
	begin(ASID8);
	load(0, A_ROOT, 0x107);
	assert_int_equal(tlb_id(0), 7);
	begin(ASID16);
	load(0, A_ROOT, 0x107);
	assert_int_equal(tlb_id(0), 0x107);
}

static void break_before_make(void **state)
{
	(void)state;
	load(1, A_ROOT, 7);
	on(0);
	store(w.a_page, 0);
	ktlb_insn_dsb_ishst();
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 0, va_operand(USER, 7, NO_HINT));
	store(w.a_page, leaf(0x999000, 0)); /* before the DSB */
	is_violated("break-before-make");
	begin(ASID16);
	load(1, A_ROOT, 7);
	on(0);
	store(w.a_page, 0);
	ktlb_insn_dsb_ishst();
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 0, va_operand(USER, 7, NO_HINT));
	ktlb_insn_dsb_ish();
	store(w.a_page, leaf(0x999000, 0));
	is_clean();
}

/* ---- the rest ---------------------------------------------------------------------------------*/

static void features(unsigned machine, uint64_t asid_bits, uint64_t ttl, uint64_t range)
{
	begin(machine);
	assert_int_equal(ktlb_insn_read_mmfr0() >> 4 & 15, asid_bits);
	assert_int_equal(ktlb_insn_read_mmfr2() >> 48 & 15, ttl);
	assert_int_equal(ktlb_insn_read_isar0() >> 56 & 15, range);
	assert_int_equal(ktlb_insn_read_tcr() >> 22 & 1, IN_TTBR1);
	assert_int_equal(ktlb_insn_read_tcr() >> 59 & 1, LPA2);
}

static void machines(void **state)
{
	(void)state;
	assert_int_equal(sim_machines, REPEAT_TLBI + 1);
	features(ASID16, 2, 1, 2);
	features(ASID8, 0, 1, 2);
	features(NO_RANGE_NO_TTL, 2, 0, 1);
}

static void points_and_barriers(void **state)
{
	(void)state;
	load(0, A_ROOT, 7);
	points = dsbs = dsb_sts = serialised = 0;
	ktlb_insn_dsb_ish();
	ktlb_insn_dsb_ishst();
	ktlb_insn_dsb_nsh();
	assert_int_equal(points, 3);
	assert_int_equal(dsbs, 1);
	assert_int_equal(dsb_sts, 1);
	assert_int_equal(serialised, 1);
	ktlb_insn_isb();
	ktlb_insn_write_ttbr0(A_ROOT | (IN_TTBR1 ? 0 : ID(7)));
	ktlb_insn_broadcast_all();
	sim_enter_user();
	assert_int_equal(points, 7);
	assert_int_equal(dsbs + dsb_sts + serialised, 3); /* none of these orders memory */
}

static void registers_of_this_cpu(void **state)
{
	(void)state;
	ktlb_insn_write_percpu_offset(0x40);
	on(1);
	assert_int_equal(ktlb_insn_percpu_offset(), 0);
	assert_int_equal(ktlb_insn_thread_u32(0), 1);
	on(0);
	assert_int_equal(ktlb_insn_percpu_offset(), 0x40);
	assert_int_equal(ktlb_insn_thread_u32(0), 0);
	sim_cpus[0].irqs_off = 1;
	assert_true(ktlb_insn_irqs_off());
}

#define TEST(name) cmocka_unit_test_setup(name, each)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tlbi_is_done_at_the_dsb_of_its_cpu),
		TEST(the_local_tlbi_needs_dsb_nsh_only),
		TEST(the_local_tlbi_is_done_by_dsb_ish_too),
		TEST(with_the_erratum_once_is_not_enough),
		TEST(an_entry_that_walkers_still_read_comes_back),
		TEST(by_scope),
		TEST(by_level),
		TEST(hints),
		TEST(blocks),
		TEST(ranges),
		TEST(ranges_of_blocks),
		TEST(reserved_bits_and_absent_instructions),
		TEST(the_former_root_is_walked_until_the_isb),
		TEST(exceptions_synchronise_too),
		TEST(root_and_id),
		TEST(two_registers_without_an_isb),
		TEST(through_the_empty_table_nothing_mixes),
		TEST(ttbr_violations),
		TEST(ids_of_8_bits),
		TEST(break_before_make),
		TEST(machines),
		TEST(points_and_barriers),
		TEST(registers_of_this_cpu),
	};

	return cmocka_run_group_tests_name("the simulated arm64", tests, 0, 0);
}
