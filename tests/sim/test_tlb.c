/* SPDX-License-Identifier: MIT */
/*
 * What the simulated TLB may hold: each rule has a test in which it does a thing, and one in which
 * it does not do what it must not.
 */
#include "stub.h"

#define ID_A 5u
#define ID_B 6u

static void load(uint32_t cpu, uint64_t root, unsigned id)
{
	tlb_context_none(cpu);
	tlb_context_add(cpu, root, id);
}

static int begin(void **state)
{
	(void)state;
	world_begin();
	run_begin();
	return 0;
}

static struct tlb_op whole(unsigned id)
{
	struct tlb_op op = {.id = id};

	return op;
}

static struct tlb_op page(uint64_t va, unsigned id)
{
	struct tlb_op op = {.id = id,
	                    .globals = 1,
	                    .by_address = 1,
	                    .first = va,
	                    .last = va,
	                    .pages = 1,
	                    .blocks = 1};

	return op;
}

/* ---- filling ----------------------------------------------------------------------------------*/

static void fills_from_the_loaded_root_only(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	assert_int_equal(tlb_upper_usable(0, w.a_upper), V(0));
	assert_int_equal(tlb_usable(0, w.b_page), 0);
	assert_int_equal(tlb_usable(1, w.a_page), 0); /* no root there */
	assert_int_equal(tlb_id(0), ID_A);
}

static void caches_present_and_accessed_entries_only(void **state)
{
	unsigned absent, idle;

	(void)state;
	load(0, A_ROOT, ID_A);
	absent = store(w.a_page + 2, leaf(0x202000, 0) & ~PTE_PRESENT);
	idle = store(w.a_page + 3, leaf(0x203000, 0) & ~PTE_ACCESSED);
	assert_int_equal(tlb_usable(0, w.a_page + 2) & V(absent), 0);
	assert_int_equal(tlb_usable(0, w.a_page + 3) & V(idle), 0);
	store(w.a_page + 3, leaf(0x203000, 0));
	assert_int_equal(tlb_usable(0, w.a_page + 3), V(2));
}

static void needs_the_upper_entry(void **state)
{
	(void)state;
	world_begin();
	set_up(w.a_upper, 0);
	run_begin();
	load(0, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	store(w.a_upper, pointer(A_TABLE));
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	is_clean();
}

static void a_store_adds_and_removes_nothing(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_page, leaf(0x200000, PTE_WRITE));
	assert_int_equal(tlb_usable(0, w.a_page), V(0) | V(1));
	store(w.a_page, 0);
	assert_int_equal(tlb_usable(0, w.a_page), V(0) | V(1));
}

static void walks_through_a_cached_pointer(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_upper, 0);
	store(w.a_page + 2, leaf(0x202000, 0));
	assert_int_equal(tlb_usable(0, w.a_page + 2), V(1));
}

/* The root that a cached pointer came from is not walked. */
static void reads_no_root_that_is_not_loaded(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	load(0, B_ROOT, ID_A);
	store(w.a_upper + 1, pointer(A_TABLE));
	assert_int_equal(tlb_upper_usable(0, w.a_upper), V(0));
	assert_int_equal(tlb_upper_usable(0, w.a_upper + 1), 0);
}

static void reads_old_versions_while_it_can(void **state)
{
	(void)state;
	lagging();
	store(w.a_page, 0);
	load(1, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	on(2);
	mem_barrier(MEM_SERIALISE);
	load(2, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(2, w.a_page), 0);
}

static void the_kernel_is_walked_under_every_root(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	tlb_set_globals(1, 1);
	load(1, B_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.kernel_page), V(0));
	assert_int_equal(tlb_usable(1, w.kernel_page + 1), V(0));
}

static void global_entries_serve_every_id(void **state)
{
	(void)state;
	tlb_set_globals(0, 1);
	load(0, A_ROOT, ID_A);
	store(w.kernel_page, 0);
	store(w.kernel_page + 1, 0);
	load(0, B_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.kernel_page), V(0));
	assert_int_equal(tlb_usable(0, w.kernel_page + 1), 0); /* tagged by ID_A */
}

static void without_global_pages_all_are_tagged(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.kernel_page, 0);
	load(0, B_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.kernel_page), 0);
}

static void an_id_keeps_its_entries_while_not_loaded(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	load(0, B_ROOT, ID_B);
	store(w.a_page, 0);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	load(0, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	load(0, A_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
}

static void several_contexts_are_walked(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	tlb_context_add(0, B_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	assert_int_equal(tlb_usable(0, w.b_page), V(0));
	assert_int_equal(tlb_root_loaded(A_ROOT), 0);
	load(0, B_ROOT, ID_B);
	assert_int_equal(tlb_root_loaded(A_ROOT), -1);
}

/* ---- invalidation -----------------------------------------------------------------------------*/

static void an_invalidation_is_refilled_at_once(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_page, leaf(0x200000, PTE_WRITE));
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_page), V(1));
	store(w.a_page, 0);
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
}

static void by_address_one_page_of_one_id(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	load(0, A_ROOT, ID_B);
	load(0, A_ROOT, ID_A);
	store(w.a_page, 0);
	store(w.a_page + 1, 0);
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_usable(0, w.a_page + 1), V(0));
	load(0, A_ROOT, ID_B);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
	op.any_id = 1;
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
}

/* Entries of all tables lie side by side: a range ends where its table ends. */
static void a_range_stays_in_its_table(void **state)
{
	struct tlb_op op = page(KERNEL, ID_A);

	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.kernel_page, 0);
	store(w.a_page, 0);
	op.last = KERNEL + BLOCK - 1;
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.kernel_page), 0);
	assert_int_equal(tlb_usable(0, w.a_page), V(0));
}

static void a_whole_id_keeps_globals(void **state)
{
	struct tlb_op op = whole(ID_A);

	(void)state;
	tlb_set_globals(0, 1);
	load(0, A_ROOT, ID_A);
	store(w.kernel_page, 0);
	store(w.a_page, 0);
	store(w.a_upper, 0);
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.kernel_page), V(0));
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_upper_usable(0, w.a_upper), 0);
	op.globals = 1;
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.kernel_page), 0);
}

static void upper_entries(enum tlb_uppers which, uint64_t va, int user_stays, int kernel_stays)
{
	struct tlb_op op = page(va, ID_A);

	world_begin();
	run_begin();
	op.uppers = which;
	load(0, A_ROOT, ID_A);
	store(w.a_upper, 0);
	store(w.kernel_upper, 0);
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_upper_usable(0, w.a_upper), user_stays);
	assert_int_equal(tlb_upper_usable(0, w.kernel_upper), kernel_stays);
}

static void upper_entries_go_as_told(void **state)
{
	(void)state;
	upper_entries(TLB_UPPERS_NONE, USER, 1, 1);
	upper_entries(TLB_UPPERS_COVERING, USER + 3 * PAGE, 0, 1);
	upper_entries(TLB_UPPERS_COVERING, USER + BLOCK, 1, 1);
	upper_entries(TLB_UPPERS_ALL, USER + BLOCK, 0, 0);
}

static void a_block_goes_whole(void **state)
{
	struct tlb_op op = page(USER + BLOCK + 77 * PAGE, ID_A);

	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_upper + 1, leaf(0x400000, PTE_LEAF));
	assert_int_equal(tlb_usable(0, w.a_upper + 1), V(1));
	store(w.a_upper + 1, 0);
	op.blocks = 0;
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_upper + 1), V(1));
	op.blocks = 1;
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_upper + 1), 0);
}

static void a_contiguous_group_goes_whole(void **state)
{
	struct tlb_op op = page(USER + 9 * PAGE, ID_A);

	(void)state;
	load(0, A_ROOT, ID_A);
	for (unsigned i = 2; i < A_PAGES; i++) {
		store(w.a_page + i, leaf(0x200000 + i * PAGE, i == 5 ? 0 : PTE_CONT));
		store(w.a_page + i, 0);
	}
	tlb_invalidate(0, &op);
	assert_int_equal(tlb_usable(0, w.a_page + 2), 0);
	assert_int_equal(tlb_usable(0, w.a_page + 15), 0);
	assert_int_equal(tlb_usable(0, w.a_page + 5), V(1));  /* not contiguous */
	assert_int_equal(tlb_usable(0, w.a_page + 16), V(1)); /* the next group */
}

/* ---- invalidations that take time -------------------------------------------------------------*/

static void done_at_completion_on_all(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	load(1, A_ROOT, ID_A);
	load(2, A_ROOT, ID_A);
	store(w.a_page, 0);
	tlb_issue(0, 0, &op);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	tlb_complete(1, 0); /* another's */
	tlb_complete(0, 1); /* the local ones */
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.a_page), 0);
	assert_int_equal(tlb_usable(2, w.a_page), 0);
}

static void local_is_local(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	load(0, A_ROOT, ID_A);
	load(1, A_ROOT, ID_A);
	store(w.a_page, 0);
	tlb_issue(0, 1, &op);
	tlb_complete(0, 1);
	assert_int_equal(tlb_usable(0, w.a_page), V(0)); /* by what this CPU had begun */
	tlb_synchronised(0);
	assert_int_equal(tlb_usable(0, w.a_page), 0);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
}

/* The entry is not yet visible to all walkers when the TLBI is done: it comes back. */
static void what_was_readable_in_between_may_stay(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	lagging();
	load(1, A_ROOT, ID_A);
	store(w.a_page, 0);
	tlb_issue(0, 0, &op);
	mem_barrier(MEM_DSB);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));

	tlb_issue(0, 0, &op);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.a_page), 0);
}

static void a_global_entry_may_stay_as_well(void **state)
{
	struct tlb_op op = page(KERNEL, ID_A);

	(void)state;
	lagging();
	tlb_set_globals(1, 1);
	load(1, A_ROOT, ID_A);
	store(w.kernel_page, 0);
	tlb_issue(0, 0, &op);
	mem_barrier(MEM_DSB);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.kernel_page), V(0));
}

/* The same, but nobody could walk under the id. */
static void nothing_comes_back_without_a_context(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	lagging();
	load(1, A_ROOT, ID_A);
	load(1, B_ROOT, ID_B);
	store(w.a_page, 0);
	tlb_issue(0, 0, &op);
	mem_barrier(MEM_DSB);
	tlb_complete(0, 0);
	load(1, A_ROOT, ID_A);
	assert_int_equal(tlb_usable(1, w.a_page), 0);
}

static void new_versions_survive_a_completion(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	load(1, A_ROOT, ID_A);
	store(w.a_page, 0);
	tlb_issue(0, 0, &op);
	store(w.a_page, leaf(0x205000, 0));
	store(w.a_page, 0);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.a_page), V(2));
}

static void two_issuers(void **state)
{
	struct tlb_op first = page(USER, ID_A), second = page(USER + PAGE, ID_A);

	(void)state;
	load(2, A_ROOT, ID_A);
	store(w.a_page, 0);
	store(w.a_page + 1, 0);
	tlb_issue(0, 0, &first);
	tlb_issue(1, 0, &second);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(2, w.a_page), 0);
	assert_int_equal(tlb_usable(2, w.a_page + 1), V(0));
	tlb_complete(1, 0);
	assert_int_equal(tlb_usable(2, w.a_page), 0);
	assert_int_equal(tlb_usable(2, w.a_page + 1), 0);
}

static void unfinished_ones_end_with_the_run(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	world_begin();
	load(1, A_ROOT, ID_A);
	run_begin();
	store(w.a_page, 0);
	tlb_issue(0, 0, &op);
	run_again();
	store(w.a_page, 0);
	tlb_complete(0, 0);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
}

/* ---- freed tables -----------------------------------------------------------------------------*/

static void free_under(uint32_t cpu, unsigned id, int cleared, int flushed)
{
	struct tlb_op op = whole(id);

	world_begin();
	run_begin();
	load(cpu, A_ROOT, ID_A);
	if (cleared)
		store(w.a_upper, 0);
	if (flushed)
		tlb_invalidate(cpu, &op);
	tlb_table_free(A_TABLE);
}

static void a_freed_table_must_be_out_of_reach(void **state)
{
	(void)state;
	free_under(1, ID_A, 0, 1); /* still in memory */
	is_violated("freed-table-walk");
	free_under(1, ID_A, 1, 0); /* still cached */
	is_violated("freed-table-walk");
	free_under(1, ID_B, 1, 1); /* the wrong id */
	is_violated("freed-table-walk");
	free_under(1, ID_A, 1, 1);
	is_clean();
}

static void a_freed_table_under_an_id_that_is_loaded_later(void **state)
{
	struct tlb_op op = whole(ID_A);

	(void)state;
	load(1, A_ROOT, ID_A);
	load(1, B_ROOT, ID_B);
	store(w.a_upper, 0);
	tlb_table_free(A_TABLE);
	is_clean();
	load(1, A_ROOT, ID_A);
	is_violated("freed-table-walk");
	tlb_invalidate(1, &op);
	load(1, A_ROOT, ID_A);
	is_clean();
}

static void a_pointer_of_another_space_under_a_reused_id(void **state)
{
	(void)state;
	load(1, A_ROOT, ID_A);
	load(1, B_ROOT, ID_B);
	store(w.a_upper, 0);
	tlb_table_free(A_TABLE);
	load(1, B_ROOT, ID_A);
	is_violated("freed-table-walk");
}

static void a_new_pointer_to_a_freed_table(void **state)
{
	(void)state;
	store(w.a_upper, 0);
	tlb_table_free(A_TABLE);
	load(1, A_ROOT, ID_A);
	is_clean();
	store(w.a_upper, pointer(A_TABLE));
	is_violated("freed-table-walk");
}

static void the_kernels_tables_too(void **state)
{
	(void)state;
	load(1, B_ROOT, ID_B);
	store(w.kernel_upper, 0);
	tlb_table_free(KERNEL_TABLE);
	is_violated("freed-table-walk");
}

static void a_table_is_used_again(void **state)
{
	struct tlb_op op = whole(ID_A);

	(void)state;
	load(1, A_ROOT, ID_A);
	store(w.a_upper, 0);
	tlb_invalidate(1, &op);
	tlb_table_free(A_TABLE);
	tlb_table_reuse(A_TABLE, USER);
	store(w.a_upper, pointer(A_TABLE));
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	is_clean();
}

static void an_old_pointer_to_it_stays_dead(void **state)
{
	(void)state;
	load(1, A_ROOT, ID_A);
	load(1, B_ROOT, ID_B);
	store(w.a_upper, 0);
	tlb_table_free(A_TABLE);
	tlb_table_reuse(A_TABLE, USER);
	is_clean();
	load(1, A_ROOT, ID_A);
	is_violated("freed-table-walk");
}

/* What was cached of its former life lies at its former address. */
static void a_table_is_used_again_elsewhere(void **state)
{
	struct tlb_op pointers = page(USER, ID_A), there = page(USER + BLOCK, ID_A);
	struct tlb_op former = page(USER, ID_A);

	(void)state;
	load(1, A_ROOT, ID_A);
	store(w.a_upper, 0);
	store(w.a_page, 0);
	pointers.uppers = TLB_UPPERS_ALL;
	pointers.pages = 0;
	tlb_invalidate(1, &pointers);
	tlb_table_free(A_TABLE);
	tlb_table_reuse(A_TABLE, USER + BLOCK);
	store(w.a_page, leaf(0x208000, 0));
	store(w.a_upper + 1, pointer(A_TABLE));
	store(w.a_page, 0);
	is_clean();
	assert_int_equal(tlb_usable(1, w.a_page), V(0) | V(2));
	tlb_invalidate(1, &there);
	assert_int_equal(tlb_usable(1, w.a_page), V(0));
	tlb_invalidate(1, &former);
	assert_int_equal(tlb_usable(1, w.a_page), 0);
}

static void roots(void **state)
{
	(void)state;
	load(1, A_ROOT, ID_A);
	tlb_table_free(B_ROOT);
	is_clean();
	load(2, B_ROOT, ID_B);
	is_violated("freed-root");
	tlb_table_free(A_ROOT);
	is_violated("freed-root");
	load(0, A_TABLE, ID_A);
	is_violated("unknown-root");
	load(0, 0x123000, ID_A);
	is_violated("unknown-root");
}

static void a_pointer_to_nowhere(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	is_clean();
	store(w.a_upper + 1, pointer(0x123000));
	is_violated("unknown-table");
}

/* ---- conflicts --------------------------------------------------------------------------------*/

static void replace(unsigned pte, uint64_t before, int clear, int flush, uint64_t after)
{
	struct tlb_op op = page(USER, ID_A);

	world_begin();
	set_up(pte, before);
	run_begin();
	tlb_break_before_make = 1;
	op.last = USER + 2 * BLOCK - 1;
	op.uppers = TLB_UPPERS_COVERING;
	load(1, A_ROOT, ID_A);
	if (clear)
		store(pte, 0);
	if (flush)
		tlb_invalidate(1, &op);
	store(pte, after);
}

static void break_before_make(void **state)
{
	(void)state;
	replace(w.a_page, leaf(0x200000, 0), 0, 0, leaf(0x999000, 0));
	is_violated("break-before-make");
	replace(w.a_page, leaf(0x200000, 0), 1, 0, leaf(0x999000, 0));
	is_violated("break-before-make");
	replace(w.a_page, leaf(0x200000, 0), 1, 1, leaf(0x999000, 0));
	is_clean();
	replace(w.a_page, leaf(0x200000, 0), 0, 0, leaf(0x200000, PTE_WRITE));
	is_clean();
	replace(w.a_page, leaf(0x200000, 0), 0, 0, leaf(0x200000, PTE_CONT));
	is_violated("break-before-make");
}

static void break_before_make_of_sizes(void **state)
{
	(void)state;
	replace(w.a_upper, pointer(A_TABLE), 0, 0, leaf(0x600000, PTE_LEAF));
	is_violated("break-before-make");
	replace(w.a_upper, pointer(A_TABLE), 1, 1, leaf(0x600000, PTE_LEAF));
	is_clean();
	replace(w.a_upper, leaf(0x600000, PTE_LEAF), 1, 0, pointer(A_TABLE));
	is_violated("break-before-make");
	replace(w.a_upper, leaf(0x600000, PTE_LEAF), 1, 1, pointer(A_TABLE));
	is_clean();
}

/* The pointer has gone, the pages under it have not. */
static void a_block_over_pages(void **state)
{
	struct tlb_op op = page(USER, ID_A);

	(void)state;
	tlb_break_before_make = 1;
	op.uppers = TLB_UPPERS_COVERING;
	load(1, A_ROOT, ID_A);
	store(w.a_upper, 0);
	tlb_invalidate(1, &op);
	store(w.a_upper, leaf(0x600000, PTE_LEAF));
	is_violated("break-before-make");
}

static void conflicts_are_allowed_elsewhere(void **state)
{
	(void)state;
	load(1, A_ROOT, ID_A);
	store(w.a_page, leaf(0x999000, 0));
	is_clean();
}

/* ---- questions --------------------------------------------------------------------------------*/

static void foreign_entries(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	assert_int_equal(tlb_foreign(0, w.a_page), -1);
	load(0, B_ROOT, ID_B);
	assert_int_equal(tlb_foreign(0, w.b_page), -1);
	load(0, B_ROOT, ID_A);
	assert_int_equal(tlb_foreign(0, w.b_page), (int)w.a_page);
	assert_int_equal(tlb_foreign(0, w.b_page + 3), -1);
}

static void a_block_is_foreign_to_pages_in_it(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_upper, leaf(0x600000, PTE_LEAF));
	load(0, B_ROOT, ID_A);
	assert_int_equal(tlb_foreign(0, w.b_page + 3), (int)w.a_upper);
}

static void walkers_set_flags(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_page + 2, 0x202000 | PTE_PRESENT);
	assert_true(tlb_walker_sets_accessed(0, w.a_page + 2, 0));
	assert_int_equal(mem_pte_value(w.a_page + 2, 2), leaf(0x202000, 0));
	assert_int_equal(tlb_usable(0, w.a_page + 2), V(2));
	assert_false(tlb_walker_sets_accessed(0, w.a_page + 2, 0)); /* is set */
	assert_false(tlb_walker_sets_accessed(0, w.a_page + 2, 1)); /* may not be written */
	assert_false(tlb_walker_sets_accessed(0, w.a_page + 3, 0)); /* not present */
	assert_false(tlb_walker_sets_accessed(1, w.a_page + 2, 1)); /* has no root */
	store(w.a_page + 3, 0x203000 | PTE_PRESENT | PTE_WRITE);
	assert_true(tlb_walker_sets_accessed(0, w.a_page + 3, 1));
	assert_int_equal(mem_pte_value(w.a_page + 3, 2), leaf(0x203000, PTE_WRITE | PTE_DIRTY));
	store(w.a_upper + 1, A_TABLE | PTE_PRESENT);
	assert_true(tlb_walker_sets_accessed(0, w.a_upper + 1, 0));
}

static void walkers_do_not_get_to_other_spaces(void **state)
{
	(void)state;
	load(0, B_ROOT, ID_B);
	store(w.a_page + 2, 0x202000 | PTE_PRESENT);
	assert_false(tlb_walker_sets_accessed(0, w.a_page + 2, 0));
}

static void walkers_write_to_freed_tables(void **state)
{
	(void)state;
	load(0, A_ROOT, ID_A);
	store(w.a_page + 2, 0x202000 | PTE_PRESENT);
	store(w.a_upper, 0);
	tlb_table_free(A_TABLE);
	is_violated("freed-table-walk");
	tlb_walker_sets_accessed(0, w.a_page + 2, 0);
	is_violated("freed-table-write");
}

/* ---- runs, and the second mode ----------------------------------------------------------------*/

static void a_run_begins_as_the_set_up_ended(void **state)
{
	(void)state;
	world_begin();
	load(0, A_ROOT, ID_A);
	load(1, B_ROOT, ID_B);
	set_up(w.b_page, leaf(0x301000, 0));
	set_up(w.a_page + 1, 0);
	run_begin();
	for (int run = 0; run < 2; run++) {
		assert_int_equal(tlb_usable(0, w.a_page), V(0));
		assert_int_equal(tlb_usable(0, w.a_page + 1), 0);
		assert_int_equal(tlb_usable(1, w.b_page), V(0));
		assert_int_equal(tlb_usable(2, w.a_page), 0);
		store(w.a_page, leaf(0x202000, 0));
		assert_int_equal(tlb_usable(0, w.a_page), V(0) | V(1));
		load(0, B_ROOT, ID_B);
		load(2, A_ROOT, ID_A);
		is_clean();
		tlb_table_free(B_TABLE);
		is_violated("freed-table-walk");
		run_again();
	}
}

static void by_chance_fewer_are_cached(void **state)
{
	unsigned filled = 0;

	(void)state;
	for (next_choice = 0; next_choice < 64; next_choice++) {
		uint64_t cached;

		tlb_random = 1;
		run_again();
		load(0, A_ROOT, ID_A);
		cached = tlb_usable(0, w.a_page);
		assert_int_equal(cached & ~V(0), 0);
		if (!next_choice)
			assert_int_equal(cached, 0);
		filled += cached != 0;
		assert_int_equal(tlb_usable(0, w.b_page), 0);
	}
	assert_in_range(filled, 10, 54);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fills_from_the_loaded_root_only),
		TEST(caches_present_and_accessed_entries_only),
		TEST(needs_the_upper_entry),
		TEST(a_store_adds_and_removes_nothing),
		TEST(walks_through_a_cached_pointer),
		TEST(reads_no_root_that_is_not_loaded),
		TEST(reads_old_versions_while_it_can),
		TEST(the_kernel_is_walked_under_every_root),
		TEST(global_entries_serve_every_id),
		TEST(without_global_pages_all_are_tagged),
		TEST(an_id_keeps_its_entries_while_not_loaded),
		TEST(several_contexts_are_walked),
		TEST(an_invalidation_is_refilled_at_once),
		TEST(by_address_one_page_of_one_id),
		TEST(a_range_stays_in_its_table),
		TEST(a_whole_id_keeps_globals),
		TEST(upper_entries_go_as_told),
		TEST(a_block_goes_whole),
		TEST(a_contiguous_group_goes_whole),
		TEST(done_at_completion_on_all),
		TEST(local_is_local),
		TEST(what_was_readable_in_between_may_stay),
		TEST(a_global_entry_may_stay_as_well),
		TEST(nothing_comes_back_without_a_context),
		TEST(new_versions_survive_a_completion),
		TEST(two_issuers),
		TEST(unfinished_ones_end_with_the_run),
		TEST(a_freed_table_must_be_out_of_reach),
		TEST(a_freed_table_under_an_id_that_is_loaded_later),
		TEST(a_pointer_of_another_space_under_a_reused_id),
		TEST(a_new_pointer_to_a_freed_table),
		TEST(the_kernels_tables_too),
		TEST(a_table_is_used_again),
		TEST(an_old_pointer_to_it_stays_dead),
		TEST(a_table_is_used_again_elsewhere),
		TEST(roots),
		TEST(a_pointer_to_nowhere),
		TEST(break_before_make),
		TEST(break_before_make_of_sizes),
		TEST(a_block_over_pages),
		TEST(conflicts_are_allowed_elsewhere),
		TEST(foreign_entries),
		TEST(a_block_is_foreign_to_pages_in_it),
		TEST(walkers_set_flags),
		TEST(walkers_do_not_get_to_other_spaces),
		TEST(walkers_write_to_freed_tables),
		TEST(a_run_begins_as_the_set_up_ended),
		TEST(by_chance_fewer_are_cached),
	};

	return cmocka_run_group_tests_name("the simulated TLB", tests, 0, 0);
}
