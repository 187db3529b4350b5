/* SPDX-License-Identifier: MIT */
/*
 * Gathers: several changes and one flush, after which pages and tables are free; gathers that meet, where
 * one finds empty what the other has not flushed yet; and flushes that are posted here and waited for there.
 *
 * Entries are emptied by atomic exchange, without a lock: so nothing but the library orders what one CPU
 * finds empty after what another one does about it.
 */
#include "oracle.h"
#include "world.h"

#define PAGE  ((uint64_t)1 << TLB_PAGE_SHIFT)
#define BLOCK ((uint64_t)1 << TLB_UPPER_SHIFT)

static void user_forever(void *unused)
{
	(void)unused;
	use(6);
}

/* Of the library's memory, watched: other CPUs read a posted gather. */
static struct ktlb_gather gathers[2];

/* What a flush that begins now promises of a page, or of all that a slot's table maps. */
static void promise(struct oracle_promise *p, unsigned slot, uint64_t size, int leaf_only)
{
	oracle_promise(p, "a gather", 0, page_va(slot, 0), size, leaf_only);
}

/* ---- one gather -------------------------------------------------------------------------------*/

enum gathered {
	GATHERED_PAGES,  /* one in each slot: two ranges */
	GATHERED_TABLE,  /* and a table with what it maps */
	GATHERED_POSTED, /* the pages; posted, and waited for later */
	GATHERED_WAYS
};

static void gather_and_map_again(enum gathered how)
{
	struct ktlb_gather *gather = &gathers[0];
	struct oracle_promise page, slot;

	sim_leave_user();
	ktlb_gather_begin(gather, &world_space[0].ktlb);
	unmap_page(&world_space[0], 0, 0);
	ktlb_gather_add(gather, page_va(0, 0), PAGE, PAGE);
	if (how == GATHERED_TABLE) {
		unlink_table(&world_space[0], 1);
		ktlb_gather_add_table(gather, page_va(1, 0), BLOCK);
	} else {
		unmap_page(&world_space[0], 1, 0);
		ktlb_gather_add(gather, page_va(1, 0), PAGE, PAGE);
	}
	promise(&page, 0, PAGE, how != GATHERED_TABLE);
	promise(&slot, 1, how == GATHERED_TABLE ? BLOCK : PAGE, how != GATHERED_TABLE);
	if (how == GATHERED_POSTED) {
		ktlb_gather_post(gather);
		use(1);
		sim_leave_user();
		ktlb_gather_wait(gather);
	} else {
		ktlb_gather_flush(gather);
	}
	oracle_keep(&page);
	oracle_keep(&slot);
	map_page(&world_space[0], 0, 0);
	if (how == GATHERED_TABLE) {
		free_table(&world_space[0], 1);
		link_table_again(&world_space[0], 1, WORLD_PAGES);
	} else {
		map_page(&world_space[0], 1, 0);
	}
}

static void gather_by_variant(void *how)
{
	use(1);
	gather_and_map_again((enum gathered)(uintptr_t)how);
	use(1);
}

static void gather_access(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_thread("gatherer", 0, 1, &world_space[0].ktlb, gather_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(gather_access) = {
	.name = "gather-access",
	.text = "one flush of two ranges, or with a table, against a CPU that uses the space",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.variants = GATHERED_WAYS,
	.setup = gather_access,
	.reach = {"stale-entry-alive", "flush_gather"},
};

static struct sim_thread *sleeper;

static void gather_twice(void *how)
{
	gather_and_map_again(GATHERED_TABLE);
	sim_wake(sleeper);
	gather_and_map_again((enum gathered)(uintptr_t)how);
	use(1);
}

static void sleep_lazily(void *unused)
{
	(void)unused;
	sim_sleep();
	enter(&world_space[0]);
	use(2);
}

static void gather_lazy(unsigned variant)
{
	world_add_space(0, 2, 2);
	world_lazy(1, &world_space[0]);
	sim_thread("gatherer", 0, 1, &world_space[0].ktlb, gather_twice,
	           (void *)(uintptr_t)variant);
	sleeper = sim_thread("sleeper", 1, 2, 0, sleep_lazily, 0);
}

SCENARIO(gather_lazy) = {
	.name = "gather-lazy",
	.text = "a gather frees a table while a CPU is lazy in the space",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.variants = GATHERED_WAYS,
	.setup = gather_lazy,
	.reach = {"enter_lazy", "flush_gather"},
};

static void gather_again(void *how)
{
	use(1);
	gather_and_map_again((enum gathered)(uintptr_t)how);
	gather_and_map_again(GATHERED_PAGES);
	use(1);
}

static void gather_moved(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_preemption = 1;
	sim_thread("gatherer", 0, 7, &world_space[0].ktlb, gather_again,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 1, 7, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(gather_moved) = {
	.name = "gather-moved",
	.text = "threads move to other CPUs between any two steps of two gathers",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = GATHERED_WAYS,
	.setup = gather_moved,
	.reach = {"stale-entry-alive", "enter_lazy"},
};

/* ---- gathers that meet ------------------------------------------------------------------------*/

/*
 * Slot 0's page goes, or its table with the page in it, unless somebody else has been here. Whoever does not
 * look at the answer has another program under clang, which makes a store of such an exchange.
 */
__attribute__((warn_unused_result)) static int empty(int with_table)
{
	uint64_t *entry = with_table ? &world_space[0].root[0] : &world_space[0].table[0][0];

	return ktlb_exchange_relaxed(entry, (uint64_t)0) != 0;
}

/* Nobody else can have been here. */
static void empty_first(int with_table)
{
	if (!empty(with_table))
		sim_violation("already-empty", "slot 0");
}

static void unmap_in_gather(struct ktlb_gather *gather, int with_table)
{
	struct oracle_promise all;
	uint64_t size = with_table ? BLOCK : PAGE;

	ktlb_gather_begin(gather, &world_space[0].ktlb);
	if (!empty(with_table))
		ktlb_gather_found_empty(gather, page_va(0, 0), size);
	else if (with_table)
		ktlb_gather_add_table(gather, page_va(0, 0), size);
	else
		ktlb_gather_add(gather, page_va(0, 0), size, PAGE);
	promise(&all, 0, size, !with_table);
	ktlb_gather_flush(gather);
	oracle_keep(&all);
}

/*
 * Both remove the same page. Whoever comes second finds nothing to remove, but when its unmap is over
 * nobody uses the page, whatever the first one is about.
 */
static void unmaps(void *what)
{
	unsigned which = (unsigned)(uintptr_t)what & 1;
	int with_table = (int)((uintptr_t)what >> 1);

	use(1);
	sim_leave_user();
	unmap_in_gather(&gathers[which], with_table);
	use(1);
}

static void gathers_meet(unsigned variant)
{
	world_add_space(0, 1, 2);
	for (unsigned which = 0; which < 2; which++)
		sim_thread(which ? "second" : "first", which, (uint64_t)1 << which,
		           &world_space[0].ktlb, unmaps, (void *)(uintptr_t)(variant << 1 | which));
	sim_thread("user", 2, 4, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(gathers_meet) = {
	.name = "gathers-meet",
	.text = "two CPUs unmap the same page, or the same table, each with its gather",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = 2,
	.setup = gathers_meet,
	.reach = {"stale-entry-alive", "gather_met"},
};

/*
 * A third gather is about another page, begins when the first may be open, and is over before the second
 * begins: that must not make the first look as if it were over.
 */
static struct ktlb_gather other_gather;
static struct sim_thread *second;

static void unmaps_the_other_page(void *unused)
{
	struct oracle_promise other;

	(void)unused;
	sim_leave_user();
	ktlb_gather_begin(&other_gather, &world_space[0].ktlb);
	unmap_page(&world_space[0], 0, 1);
	ktlb_gather_add(&other_gather, page_va(0, 1), PAGE, PAGE);
	oracle_promise(&other, "a gather", 0, page_va(0, 1), PAGE, 1);
	ktlb_gather_flush(&other_gather);
	oracle_keep(&other);
	sim_wake(second);
}

static void sleeps_then_unmaps(void *with_table)
{
	sim_leave_user();
	sim_sleep();
	unmap_in_gather(&gathers[1], with_table != 0);
	use(1);
}

/* Until the three are through. */
static void user_of_three(void *unused)
{
	(void)unused;
	use(40);
}

static void three_gathers(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("first", 0, 1, &world_space[0].ktlb, unmaps, (void *)(uintptr_t)(variant << 1));
	second = sim_thread("second", 1, 2, &world_space[0].ktlb, sleeps_then_unmaps,
	                    (void *)(uintptr_t)variant);
	sim_thread("third", 2, 4, &world_space[0].ktlb, unmaps_the_other_page, 0);
	sim_thread("user", 3, 8, &world_space[0].ktlb, user_of_three, 0);
}

SCENARIO(three_gathers) = {
	.name = "three-gathers",
	.text = "two CPUs unmap the same page, a third another one: its end hides nobody",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 4,
	.variants = 2,
	.setup = three_gathers,
	.reach = {"stale-entry-alive", "gather_met"},
};

/* One inside the other, on one CPU. */
static void nested(void *with_table)
{
	struct oracle_promise outer;
	uint64_t size = with_table ? BLOCK : PAGE;

	use(1);
	sim_leave_user();
	ktlb_gather_begin(&gathers[0], &world_space[0].ktlb);
	empty_first(with_table != 0);
	if (with_table)
		ktlb_gather_add_table(&gathers[0], page_va(0, 0), size);
	else
		ktlb_gather_add(&gathers[0], page_va(0, 0), size, PAGE);
	unmap_in_gather(&gathers[1], with_table != 0);
	use(1);
	sim_leave_user();
	promise(&outer, 0, size, !with_table);
	ktlb_gather_flush(&gathers[0]);
	oracle_keep(&outer);
}

static void gather_nested(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("gatherer", 0, 1, &world_space[0].ktlb, nested, (void *)(uintptr_t)variant);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(gather_nested) = {
	.name = "gather-nested",
	.text = "a gather inside another one finds empty what the outer has not flushed",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2,
	.setup = gather_nested,
	.reach = {"stale-entry-alive", "gather_met"},
};

/*
 * No gather is pending any more: then what the last one needed is nobody's. Its memory is written to by the
 * CPU that has looked; a CPU that still reads it, or that has not been seen to have finished, races.
 */
static int nobody_else_is_open(int in_gather)
{
	struct ktlb_gather *own = &gathers[1];
	int nobody;

	if (ktlb_load_relaxed(&world_space[0].table[0][0]) != 0)
		return 0;
	if (!in_gather)
		return ktlb_gather_pending(&world_space[0].ktlb) == 0;
	ktlb_gather_begin(own, &world_space[0].ktlb);
	ktlb_gather_found_empty(own, page_va(0, 0), PAGE);
	nobody = own->ranges == 0;
	ktlb_gather_flush(own);
	return nobody;
}

static void looks_and_writes(void *in_gather)
{
	sim_leave_user();
	if (nobody_else_is_open(in_gather != 0))
		gathers[0] = (struct ktlb_gather){0};
}

static void gather_two_pages(void *unused)
{
	struct ktlb_gather *gather = &gathers[0];

	(void)unused;
	sim_leave_user();
	ktlb_gather_begin(gather, &world_space[0].ktlb);
	empty_first(0);
	ktlb_gather_add(gather, page_va(0, 0), PAGE, PAGE);
	unmap_page(&world_space[0], 1, 0);
	ktlb_gather_add(gather, page_va(1, 0), PAGE, PAGE);
	ktlb_gather_flush(gather);
}

static void gather_over(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_thread("gatherer", 0, 1, &world_space[0].ktlb, gather_two_pages, 0);
	sim_thread("looks", 1, 2, &world_space[0].ktlb, looks_and_writes,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 2, 4, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(gather_over) = {
	.name = "gather-over",
	.text = "whoever finds no gather pending may use what the last one used",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = 2, /* asked outright, or by a gather of its own */
	.setup = gather_over,
	.reach = {"flush_gather"},
};

/* ---- post here, wait there --------------------------------------------------------------------*/

enum post {
	POST_PAGE,
	POST_TWO,   /* two pages, waited for in the order of their posting */
	POST_FLUSH, /* a flush comes between the post and its wait */
	POST_SPACE,
	POSTS
};

static struct ktlb_pending pending[2];

static void post_page(unsigned which)
{
	unmap_page(&world_space[0], which, 0);
	ktlb_flush_post(&world_space[0].ktlb, page_va(which, 0), PAGE, PAGE, KTLB_LEAF_ONLY,
	                &pending[which]);
}

/* In between the thread is in user mode, and may be moved wherever it can run. */
static void post_and_wait(void *argument)
{
	enum post how = (enum post)(uintptr_t)argument;
	struct oracle_promise first, second;

	use(1);
	sim_leave_user();
	if (how == POST_SPACE) {
		unmap_page(&world_space[0], 0, 0);
		promise(&first, 0, PAGE, 1);
		ktlb_flush_post_space(&world_space[0].ktlb, &pending[0]);
	} else {
		post_page(0);
		promise(&first, 0, PAGE, 1);
	}
	use(1);
	sim_leave_user();
	if (how == POST_TWO)
		post_page(1);
	promise(&second, 1, PAGE, 1);
	if (how == POST_FLUSH)
		change(&world_space[0], 1, CHANGE_LEAF);
	ktlb_flush_wait(&pending[0]);
	oracle_keep(&first);
	if (how == POST_TWO) {
		ktlb_flush_wait(&pending[1]);
		oracle_keep(&second);
	}
	map_page(&world_space[0], 0, 0);
	use(1);
}

static void post_moved(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_preemption = 1;
	sim_thread("flusher", 0, 3, &world_space[0].ktlb, post_and_wait,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 1, 7, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(post_moved) = {
	.name = "post-moved",
	.text = "a flush is posted, the thread moves, and waits on another CPU",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = POSTS,
	.setup = post_moved,
	.reach = {"stale-entry-alive", "flush_post", "enter_lazy"},
};

/* Nobody is moved: few enough steps to try all orders of. */
static void post_here(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, post_and_wait,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(post_here) = {
	.name = "post-wait",
	.text = "flushes that are posted, and waited for on the same CPU",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = POSTS,
	.setup = post_here,
	.reach = {"stale-entry-alive", "flush_post"},
};

/* ---- a fault that no entry explains -----------------------------------------------------------*/

/* The entry's number on the simulated machine: frames are never used twice. */
static unsigned pte_of(uint64_t value)
{
	unsigned pte = 0;

	while (mem_pte_value(pte, mem_pte_newest(pte)) != value)
		pte++;
	return pte;
}

/* CPU 1 allows more and flushes nothing. */
static void allows_more(void *unused)
{
	uint64_t *entry = &world_space[0].table[0][0];

	(void)unused;
	sim_leave_user();
	ktlb_store_relaxed(entry, ktlb_load_relaxed(entry) | PTE_DIRTY);
	ktlb_publish();
	use(1);
}

/*
 * CPU 0 has the entry of before, faults, finds that the entry allows it, and mends its TLB: what it can use
 * then is what the entry says. Interrupts are off, so that it is the same CPU.
 */
static void faults(void *unused)
{
	uint64_t value, irqs;

	(void)unused;
	use(2);
	sim_leave_user();
	irqs = sim_irq_save();
	value = ktlb_load_relaxed(&world_space[0].table[0][0]);
	if (value & PTE_DIRTY) {
		unsigned pte = pte_of(value), newest = mem_pte_newest(pte);

		ktlb_fix_spurious(&world_space[0].ktlb, page_va(0, 0));
		if (tlb_usable(sim_cur->number, pte) & (((uint64_t)1 << newest) - 1))
			sim_violation("faults-again", "the entry of before is still cached");
		oracle_reached("mended");
	}
	sim_irq_restore(irqs);
	use(1);
}

static void spurious(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	sim_thread("faults", 0, 1, &world_space[0].ktlb, faults, 0);
	sim_thread("allows more", 1, 2, &world_space[0].ktlb, allows_more, 0);
}

SCENARIO(spurious_fault) = {
	.name = "spurious-fault",
	.text = "an entry allows more, unflushed: a CPU that faults by the old one mends its TLB",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = spurious,
	.reach = {"mended"},
};
