/* SPDX-License-Identifier: MIT */
/*
 * x86-64's instructions on the simulated CPU. What one must invalidate is gone; what the manual
 * lets it keep is kept.
 */
#include <ktlb_arch/insn.h>

#include "stub.h"

#define KEEP  ((uint64_t)1 << 63)
#define PGE   ((uint64_t)1 << 7)
#define PCIDE ((uint64_t)1 << 17)

enum {
	PCID_INVPCID,
	PCID,
	NO_PCID,
	PCID_NO_GLOBAL,
	NO_PCID_NO_GLOBAL
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
	begin(PCID_INVPCID);
	ktlb_insn_write_cr3(KERNEL_ROOT);
	ktlb_insn_write_cr4(PGE | PCIDE);
	is_clean();
	return 0;
}

/* Under PCID 1 on cpu0: A, with all its entries cached and then cleared in memory. */
static void cache_and_clear(void)
{
	ktlb_insn_write_cr3(A_ROOT | 1);
	store(w.a_page, 0);
	store(w.a_page + 1, 0);
	store(w.a_upper, 0);
	store(w.kernel_page, 0);     /* global */
	store(w.kernel_page + 1, 0); /* not */
	store(w.kernel_upper, 0);
}

/* What is still cached under PCID 1. */
static void is_cached(int a_page, int a_upper, int global, int kernel_page, int kernel_upper)
{
	ktlb_insn_write_cr3(A_ROOT | 1 | KEEP);
	assert_int_equal(tlb_usable(0, w.a_page), a_page);
	assert_int_equal(tlb_upper_usable(0, w.a_upper), a_upper);
	assert_int_equal(tlb_usable(0, w.kernel_page), global);
	assert_int_equal(tlb_usable(0, w.kernel_page + 1), kernel_page);
	assert_int_equal(tlb_upper_usable(0, w.kernel_upper), kernel_upper);
	is_clean();
}

static void cr3_without_keep_drops_its_pcid_but_globals(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr3(A_ROOT | 1);
	is_cached(0, 0, 1, 0, 0);
}

static void cr3_with_keep_drops_nothing(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr3(A_ROOT | 1 | KEEP);
	is_cached(1, 1, 1, 1, 1);
	assert_int_equal(ktlb_insn_read_cr3(), A_ROOT | 1); /* bit 63 reads as 0 */
}

static void cr3_of_another_pcid_leaves_this_one(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr3(B_ROOT | 2);
	assert_int_equal(tlb_id(0), 2);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	is_cached(1, 1, 1, 1, 1);
}

static void cr3_ends_the_use_of_the_former_root(void **state)
{
	(void)state;
	ktlb_insn_write_cr3(A_ROOT | 1);
	assert_int_equal(tlb_root_loaded(A_ROOT), 0);
	ktlb_insn_write_cr3(B_ROOT | 1);
	assert_int_equal(tlb_root_loaded(A_ROOT), -1);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_foreign(0, w.b_page), -1);
	ktlb_insn_write_cr3(A_ROOT | 1 | KEEP);
	assert_int_equal(tlb_foreign(0, w.a_page), (int)w.b_page);
}

static void cr3_faults(void **state)
{
	(void)state;
	ktlb_insn_write_cr3(A_ROOT | 1 | KEEP | (uint64_t)3 << 61);
	is_clean();
	ktlb_insn_write_cr3(A_ROOT | (uint64_t)1 << 60);
	is_violated("fault");
	begin(NO_PCID);
	ktlb_insn_write_cr3(A_ROOT | KEEP);
	is_violated("fault");
	ktlb_insn_write_cr3(A_ROOT | 1);
	is_violated("fault");
	ktlb_insn_write_cr3(A_ROOT | 0x18);
	is_clean();
	assert_int_equal(tlb_id(0), 0);
	ktlb_insn_write_cr3(0x5000);
	is_violated("unknown-root");
}

static void without_pcids_cr3_drops_all_but_globals(void **state)
{
	(void)state;
	begin(NO_PCID);
	ktlb_insn_write_cr3(A_ROOT);
	store(w.a_page, 0);
	store(w.kernel_page, 0);
	store(w.kernel_page + 1, 0);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	ktlb_insn_write_cr3(B_ROOT);
	assert_int_equal(tlb_id(0), 0);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_usable(0, w.kernel_page), V(0));
	assert_int_equal(tlb_usable(0, w.kernel_page + 1), 0);
}

static void a_change_of_pge_drops_everything(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr3(B_ROOT | 2);
	ktlb_insn_write_cr4(PCIDE);
	ktlb_insn_write_cr4(PCIDE | PGE);
	assert_int_equal(tlb_usable(0, w.b_page), V(0)); /* refilled */
	is_cached(0, 0, 0, 0, 0);
}

static void with_pge_off_there_are_no_globals(void **state)
{
	(void)state;
	ktlb_insn_write_cr4(PCIDE);
	ktlb_insn_write_cr3(A_ROOT | 1);
	store(w.kernel_page, 0);
	ktlb_insn_write_cr3(B_ROOT | 2);
	assert_int_equal(tlb_usable(0, w.kernel_page), 0);
}

static void cr4_without_a_change_drops_nothing(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr4(ktlb_insn_read_cr4());
	is_cached(1, 1, 1, 1, 1);
}

static void pcide(void **state)
{
	(void)state;
	begin(PCID);
	ktlb_insn_write_cr3(A_ROOT | 0x18);
	ktlb_insn_write_cr4(PGE | PCIDE);
	is_violated("fault"); /* CR3[11:0] was not 0 */
	begin(PCID);
	ktlb_insn_write_cr3(A_ROOT);
	store(w.a_page, 0);
	ktlb_insn_write_cr4(PGE | PCIDE);
	is_clean();
	assert_int_equal(tlb_usable(0, w.a_page), V(0)); /* setting it drops nothing */
	ktlb_insn_write_cr4(PGE);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	begin(NO_PCID);
	ktlb_insn_write_cr3(A_ROOT);
	ktlb_insn_write_cr4(PGE | PCIDE);
	is_violated("fault");
	ktlb_insn_write_cr4(1);
	is_violated("fault");
}

static void invlpg(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_invlpg(USER + 3 * PAGE);
	is_cached(1, 0, 1, 1, 0); /* every upper entry, whatever the address */
	ktlb_insn_invlpg(USER + 123);
	is_cached(0, 0, 1, 1, 0);
	ktlb_insn_invlpg(KERNEL);
	is_cached(0, 0, 0, 1, 0);
	ktlb_insn_invlpg(KERNEL + PAGE);
	is_cached(0, 0, 0, 0, 0);
}

static void invlpg_under_the_current_pcid_only(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_write_cr3(B_ROOT | 2);
	ktlb_insn_invlpg(USER);
	ktlb_insn_invlpg(KERNEL);
	ktlb_insn_invlpg(KERNEL + PAGE);
	is_cached(1, 1, 0, 1, 1); /* but the global one */
}

static void invlpg_of_no_address(void **state)
{
	(void)state;
	cache_and_clear();
	ktlb_insn_invlpg((uint64_t)1 << 50);
	is_cached(1, 1, 1, 1, 1);
}

static void invalidations_are_of_this_cpu(void **state)
{
	(void)state;
	on(1);
	ktlb_insn_write_cr3(A_ROOT);
	store(w.a_page, 0);
	on(0);
	ktlb_insn_write_cr3(A_ROOT);
	ktlb_insn_invlpg(USER);
	ktlb_insn_invpcid(2, (struct ktlb_invpcid){0, 0});
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
}

static void from_pcid_2(uint64_t type, uint64_t pcid, uint64_t va)
{
	each(0);
	cache_and_clear();
	ktlb_insn_write_cr3(B_ROOT | 2);
	ktlb_insn_invpcid(type, (struct ktlb_invpcid){pcid, va});
}

static void invpcid(void **state)
{
	(void)state;
	from_pcid_2(0, 1, USER);
	is_cached(0, 0, 1, 1, 1);
	from_pcid_2(0, 1, KERNEL);
	is_cached(1, 1, 1, 1, 0); /* globals stay */
	from_pcid_2(0, 2, USER);
	is_cached(1, 1, 1, 1, 1);
	from_pcid_2(1, 1, 0);
	is_cached(0, 0, 1, 0, 0);
	from_pcid_2(1, 2, 0);
	is_cached(1, 1, 1, 1, 1);
	from_pcid_2(2, 0, 0);
	is_cached(0, 0, 0, 0, 0);
	from_pcid_2(3, 0, 0);
	is_cached(0, 0, 1, 0, 0);
}

static void invpcid_faults(void **state)
{
	(void)state;
	from_pcid_2(4, 0, 0);
	is_violated("fault");
	from_pcid_2(1, 0x1001, 0);
	is_violated("fault");
	from_pcid_2(0, 1, (uint64_t)1 << 50);
	is_violated("fault");
	begin(PCID);
	ktlb_insn_invpcid(2, (struct ktlb_invpcid){0, 0});
	is_violated("fault");
	begin(PCID_INVPCID);
	ktlb_insn_invpcid(1, (struct ktlb_invpcid){1, 0}); /* CR4.PCIDE is 0 */
	is_violated("fault");
	ktlb_insn_invpcid(1, (struct ktlb_invpcid){0, 0});
	is_clean();
}

static void without_global_pages(void **state)
{
	(void)state;
	begin(PCID_NO_GLOBAL);
	ktlb_insn_write_cr3(KERNEL_ROOT);
	assert_int_equal(ktlb_insn_read_cr4() & PGE, 0);
	ktlb_insn_write_cr4(PCIDE);
	cache_and_clear();
	is_cached(1, 1, 1, 1, 1);
	ktlb_insn_write_cr3(A_ROOT | 1);
	is_cached(0, 0, 0, 0, 0);
}

static void features(unsigned machine, uint32_t pcid, uint32_t with_invpcid, uint64_t pge)
{
	begin(machine);
	assert_true(ktlb_insn_cpuid(0, 0).eax >= 7);
	assert_int_equal(ktlb_insn_cpuid(1, 0).ecx >> 17 & 1, pcid);
	assert_int_equal(ktlb_insn_cpuid(7, 0).ebx >> 10 & 1, with_invpcid);
	assert_int_equal(ktlb_insn_read_cr4(), pge);
}

static void machines(void **state)
{
	(void)state;
	assert_int_equal(sim_machines, NO_PCID_NO_GLOBAL + 1);
	features(PCID_INVPCID, 1, 1, PGE);
	features(PCID, 1, 0, PGE);
	features(NO_PCID, 0, 0, PGE);
	features(PCID_NO_GLOBAL, 1, 1, 0);
	features(NO_PCID_NO_GLOBAL, 0, 0, 0);
}

static void each_serialises_behind_a_point(void **state)
{
	(void)state;
	points = serialised = 0;
	ktlb_insn_write_cr3(A_ROOT);
	ktlb_insn_write_cr4(PGE | PCIDE);
	ktlb_insn_invlpg(USER);
	ktlb_insn_invpcid(2, (struct ktlb_invpcid){0, 0});
	sim_enter_user();
	assert_int_equal(points, 5);
	assert_int_equal(serialised, 5);
	ktlb_insn_read_cr3();
	ktlb_insn_read_cr4();
	ktlb_insn_irqs_off();
	sim_enter_interrupt();
	assert_int_equal(points, 5);
	assert_int_equal(serialised, 5);
}

static void walks_after_it_see_what_this_cpu_has_seen(void **state)
{
	(void)state;
	lagging();
	ktlb_insn_write_cr3(A_ROOT | 1);
	store(w.a_page, 0);
	ktlb_insn_invlpg(USER);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
}

static void set_up_acts_without_points(void **state)
{
	(void)state;
	world_begin();
	sim_machine(PCID);
	sim_arch_reset();
	points = serialised = 0;
	sim_setup_cpu = &sim_cpus[1];
	sim_cpus[1].irqs_off = 1;
	ktlb_insn_write_cr3(A_ROOT);
	assert_int_equal(points + serialised, 0);
	assert_int_equal(sim_cpus[1].cr3, A_ROOT);
	assert_true(ktlb_insn_irqs_off());
	run_begin();
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
}

static void percpu(void **state)
{
	static uint64_t copies[2] = {11, 22};

	(void)state;
	ktlb_insn_write_percpu_offset(sizeof(copies[0]));
	assert_int_equal(ktlb_insn_percpu_u64(&copies[0]), 22);
	assert_int_equal(ktlb_insn_percpu_u32((const uint32_t *)&copies[0]), 22);
	on(1);
	assert_int_equal(ktlb_insn_percpu_u64(&copies[0]), 11);
}

#define TEST(name) cmocka_unit_test_setup(name, each)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cr3_without_keep_drops_its_pcid_but_globals),
		TEST(cr3_with_keep_drops_nothing),
		TEST(cr3_of_another_pcid_leaves_this_one),
		TEST(cr3_ends_the_use_of_the_former_root),
		TEST(cr3_faults),
		TEST(without_pcids_cr3_drops_all_but_globals),
		TEST(a_change_of_pge_drops_everything),
		TEST(with_pge_off_there_are_no_globals),
		TEST(cr4_without_a_change_drops_nothing),
		TEST(pcide),
		TEST(invlpg),
		TEST(invlpg_under_the_current_pcid_only),
		TEST(invlpg_of_no_address),
		TEST(invalidations_are_of_this_cpu),
		TEST(invpcid),
		TEST(invpcid_faults),
		TEST(without_global_pages),
		TEST(machines),
		TEST(each_serialises_behind_a_point),
		TEST(walks_after_it_see_what_this_cpu_has_seen),
		TEST(set_up_acts_without_points),
		TEST(percpu),
	};

	return cmocka_run_group_tests_name("the simulated x86-64", tests, 0, 0);
}
