/* SPDX-License-Identifier: MIT */
/*
 * x86-64 on the fake machine: the instructions of switch, lazy mode, flush and handler with and
 * without PCIDs, INVPCID and global pages; whom a flush asks; and long random walks in which no CPU
 * may ever see an entry that a flush has ended.
 */
#include "unit.h"

/* A request for one leaf. */
static struct ktlb_request request_for(struct ktlb_space *of, uint64_t generation, uint64_t va,
                                       uint64_t sequence)
{
	struct ktlb_request request = {
		.space = of,
		.generation = generation,
		.va = va,
		.pages = 1,
		.step_shift = KTLB_ARCH_PAGE_SHIFT,
		.what = KTLB_WHAT_LEAVES,
		.sequence = sequence,
	};

	return request;
}

/* ---- operands and facts -----------------------------------------------------------------------*/

static void operands(void **unused)
{
	(void)unused;
	assert_int_equal(ktlb_x86_cr3(0x1234567000, 5, 0), 0x1234567005);
	assert_int_equal(ktlb_x86_cr3(0x1234567000, 5, 1), 0x8000001234567005);
	assert_int_equal(ktlb_x86_cr3((uint64_t)1 << 61 | 0x1000, 0, 0),
	                 0x2000000000001000); /* LAM */
	for (uint32_t a = 0; a < KTLB_SLOTS; a++) {
		assert_true(ktlb_x86_pcid(a) != 0 && ktlb_x86_pcid(a) < 4096);
		for (uint32_t b = 0; b < a; b++)
			assert_int_not_equal(ktlb_x86_pcid(a), ktlb_x86_pcid(b));
	}
	for (uint32_t shift = 12; shift < 40; shift++)
		assert_int_equal(ktlb_arch_entry_shift(shift), shift < 21   ? 12
		                                               : shift < 30 ? 21
		                                                            : 30);
}

static void facts(void **unused)
{
	const uint32_t pcid = 1u << 17, popcnt = 1u << 23, invpcid = 1u << 10;
	const uint64_t pge = 1 << 7;

	(void)unused;
	assert_int_equal(ktlb_x86_facts(popcnt, 0, 0).features, 0);
	assert_int_equal(ktlb_x86_facts(popcnt, invpcid, 0).features, 0);
	assert_int_equal(ktlb_x86_facts(pcid, 0, 0).features, KTLB_FEATURE_PCID);
	assert_int_equal(ktlb_x86_facts(pcid, invpcid, 0).features,
	                 KTLB_FEATURE_PCID | KTLB_FEATURE_INVPCID);
	assert_int_equal(ktlb_x86_facts(0, 0, pge).features, KTLB_FEATURE_GLOBAL_PAGES);
}

/* What is not there, or of no use without what is not there, is not claimed. */
static void features_and_ids(void **unused)
{
	const uint32_t all = KTLB_FEATURE_PCID | KTLB_FEATURE_INVPCID | KTLB_FEATURE_GLOBAL_PAGES;
	struct ktlb_config config = {.cpus = 1, .kernel_root = FAKE_KERNEL_ROOT};

	(void)unused;
	start(1, 1, 1, 1);
	assert_int_equal(ktlb_features(), all);
	assert_int_equal(ktlb_id_limit(), KTLB_SLOTS + 1);
	start(1, 0, 1, 1);
	assert_int_equal(ktlb_features(), KTLB_FEATURE_GLOBAL_PAGES);
	assert_int_equal(ktlb_id_limit(), 1);
	start(1, 1, 1, 1);
	config.without = KTLB_FEATURE_PCID;
	ktlb_init(&config);
	assert_int_equal(ktlb_features(), KTLB_FEATURE_GLOBAL_PAGES);
	assert_int_equal(ktlb_id_limit(), 1);
	config.without = KTLB_FEATURE_INVPCID;
	ktlb_init(&config);
	assert_int_equal(ktlb_features(), KTLB_FEATURE_PCID | KTLB_FEATURE_GLOBAL_PAGES);
	assert_int_equal(ktlb_id_limit(), KTLB_SLOTS + 1);
}

static void halves(void **unused)
{
	(void)unused;
	assert_true(ktlb_arch_is_user(0x00007fffffffffff) && ktlb_arch_is_user(0x00ffffffffffffff));
	assert_true(ktlb_arch_is_kernel(0xffff800000000000) && ktlb_arch_is_kernel(-(uint64_t)1));
	assert_false(ktlb_arch_is_user(0xffff800000000000));
	assert_false(ktlb_arch_is_kernel(0x00007fffffffffff));
}

/* ---- switch and lazy --------------------------------------------------------------------------*/

static void slots_keep_what_is_clean(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
	switch_on(0, &space[1]);
	EXPECT({FAKE_CR3, 0, 2 << 20 | 2});
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, KEEP | 1 << 20 | 1});
	switch_on(0, &space[0]);
	NOTHING();
	/* the seventh space takes the first slot; the first space then finds none */
	for (uint32_t i = 2; i < 7; i++)
		switch_on(0, &space[i]);
	assert_int_equal(fake_log[fake_events - 1].operand, 7 << 20 | 1);
	fake_events = 0;
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 2});
	/* changed meanwhile */
	switch_on(0, &space[6]);
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	NOTHING();
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 2});
}

static void without_pcids_every_load_flushes(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(0, &space[1]);
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20}, {FAKE_CR3, 0, 2 << 20}, {FAKE_CR3, 0, 1 << 20});
}

/* One path for both: the slots are kept, and counted, though the hardware keeps nothing. */
static void without_pcids_slots_are_bookkeeping(void **unused)
{
	uint64_t hits, taken;

	(void)unused;
	for (uint32_t i = 0; i < KTLB_SLOTS; i++)
		switch_on(0, &space[i]);
	hits = count(KTLB_COUNT_SWITCH_HIT);
	taken = count(KTLB_COUNT_ID_NEW);
	assert_int_equal(taken, KTLB_CFG_COUNT ? KTLB_SLOTS : 0);
	fake_events = 0;
	for (uint32_t i = 0; i < KTLB_SLOTS; i++) {
		switch_on(0, &space[i]);
		EXPECT({FAKE_CR3, 0, (uint64_t)(i + 1) << 20});
	}
	assert_int_equal(count(KTLB_COUNT_ID_NEW), taken);
	assert_int_equal(count(KTLB_COUNT_SWITCH_HIT) - hits, KTLB_CFG_COUNT ? KTLB_SLOTS : 0);
}

/* What a destroy leaves is noticed by every switch, although its slot is still there. */
static void ended_spaces_are_noticed(void **unused)
{
	static struct ktlb_space copy;

	(void)unused;
	switch_on(0, &space[0]);
	switch_on(0, &space[1]);
	ktlb_space_destroy(&space[0]);
	fake_events = 0;
	fake_this()->irqs_off = 1;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&space[0])),
	                    "ktlb_switch: the space is not initialised");
	assert_ptr_equal(ktlb_cpus[0]->loaded, &space[1]);
	switch_on(0, &space[2]);
	fake_this()->irqs_off = 1;
	copy = space[1];
	if (KTLB_CFG_CHECK)
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&copy)),
		                    "ktlb_switch: the space is not initialised");
}

static void lazy_keeps_the_space(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	fake_events = 0;
	lazy_on(0);
	if (!KTLB_CFG_OPT_LAZY) {
		EXPECT({FAKE_CR3, 0, KEEP | FAKE_KERNEL_ROOT});
		return;
	}
	NOTHING();
	switch_on(0, &space[0]);
	NOTHING();
	/* a change of leaves passes it over; it flushes when it returns */
	lazy_on(0);
	fake_run_on(1);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	NOTHING();
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
}

static void freed_tables_reach_lazy_cpus(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_OPT_LAZY)
		skip();
	switch_on(0, &space[0]);
	lazy_on(0);
	fake_run_on(1);
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x1000, 0);
	EXPECT({FAKE_IPI, 1, 0}, {FAKE_CR3, 0, KEEP | FAKE_KERNEL_ROOT});
	assert_null(ktlb_cpus[0]->loaded);
}

static void destroy_reaches_lazy_cpus(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	lazy_on(0);
	lazy_on(1);
	ktlb_space_destroy(&space[0]);
	assert_null(ktlb_cpus[0]->loaded);
	assert_null(ktlb_cpus[1]->loaded);
	assert_int_equal(fake_cpu[0].cr3, FAKE_KERNEL_ROOT);
	/* the caller's own CPU, loaded and not lazy */
	switch_on(2, &space[1]);
	ktlb_space_destroy(&space[1]);
	assert_int_equal(fake_cpu[2].cr3, FAKE_KERNEL_ROOT);
	/* somebody still runs it */
	switch_on(2, &space[2]);
	fake_run_on(0);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_space_destroy(&space[2])),
	                    "ktlb_space_destroy: another CPU has the space loaded");
}

/* O4 and its relatives: read-modify-writes of masks in one round trip idle -> task -> idle. */
static void masks(void **unused)
{
	uint64_t before, expected = 0;

	(void)unused;
	switch_on(0, &space[0]);
	lazy_on(0);
	before = count(KTLB_COUNT_MASK_RMW);
	switch_on(0, &space[0]);
	lazy_on(0);
	if (!KTLB_CFG_OPT_KEEP_MASK_BIT && !KTLB_CFG_OPT_LAZY)
		expected += 2;
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK && !KTLB_CFG_OPT_LAZY)
		expected += 2;
	assert_int_equal(count(KTLB_COUNT_MASK_RMW) - before, KTLB_CFG_COUNT ? expected : 0);
}

/* ---- flush ------------------------------------------------------------------------------------*/

static void only_who_runs_it_is_asked(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	switch_on(2, &space[0]);
	switch_on(2, &space[1]);
	switch_on(3, &space[1]);
	fake_run_on(0);
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x3000}, {FAKE_INVLPG, 1, 0x3000});
	/* from a CPU that does not run it */
	fake_run_on(3);
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 3, 0}, {FAKE_IPI, 3, 1}, {FAKE_INVLPG, 0, 0x3000},
	       {FAKE_INVLPG, 1, 0x3000});
	/* a space that nobody runs, or has run */
	ktlb_flush_page(&space[5], 0x3000, KTLB_LEAF_ONLY);
	NOTHING();
}

static void ranges_and_the_limit(void **unused)
{
	uint64_t id = ktlb_sys.features & KTLB_FEATURE_PCID ? 1 : 0;

	(void)unused;
	switch_on(0, &space[0]);
	fake_events = 0;
	ktlb_flush_range(&space[0], 0x2000, 0x3000, 0x1000, 0);
	EXPECT({FAKE_INVLPG, 0, 0x2000}, {FAKE_INVLPG, 0, 0x3000}, {FAKE_INVLPG, 0, 0x4000});
	ktlb_flush_range(&space[0], 0x40000000, 0x400000, 0x200000, 0);
	EXPECT({FAKE_INVLPG, 0, 0x40000000}, {FAKE_INVLPG, 0, 0x40200000});
	ktlb_flush_range(&space[0], 0, 33 << 12, 0x1000, 0);
	assert_int_equal(fake_events, 33);
	fake_events = 0;
	ktlb_flush_range(&space[0], 0, 34 << 12, 0x1000, 0);
	EXPECT({FAKE_CR3, 0, 1 << 20 | id});
	ktlb_flush_space(&space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20 | id});
}

/* A CPU that has missed a change flushes everything; one that is up to date nothing. */
static void generations(void **unused)
{
	struct ktlb_slot *slot;
	struct ktlb_request late;

	(void)unused;
	switch_on(0, &space[0]);
	slot = ktlb_cpus[0]->loaded_slot;
	fake_run_on(0);
	fake_events = 0;
	space[0].generation++; /* somebody else's, whose request is on its way */
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
	assert_int_equal(slot->clean, space[0].generation);
	/* that request */
	late = request_for(&space[0], space[0].generation - 1, 0x1000, 1);
	ktlb_cpus[1]->request = late;
	ktlb_cpus[1]->call[0].request = &ktlb_cpus[1]->request;
	ktlb_cpus[0]->queue = &ktlb_cpus[1]->call[0];
	ktlb_poll();
	NOTHING();
	assert_int_equal(ktlb_cpus[1]->call[0].done, 1);
	assert_int_equal(count(KTLB_COUNT_HANDLED_SATISFIED),
	                 KTLB_CFG_COUNT && KTLB_CFG_OPT_EARLY_OUT ? 1 : 0);
	/* a request without a number is none that is old */
	ktlb_cpus[1]->request.generation = 0;
	ktlb_cpus[1]->request.sequence = 2;
	ktlb_cpus[0]->queue = &ktlb_cpus[1]->call[0];
	ktlb_poll();
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
	assert_int_equal(ktlb_cpus[1]->call[0].done, 2);
}

/* Origin O5: reads of the generation while requests are served. */
static void reads_of_the_generation(void **unused)
{
	uint64_t before;

	(void)unused;
	if (!KTLB_CFG_COUNT)
		skip();
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	lazy_on(1);
	fake_run_on(0);
	before = count(KTLB_COUNT_GENERATION_READ);
	ktlb_flush_page(&space[0], 0x1000, 0); /* here, and a lazy CPU */
	if (KTLB_CFG_OPT_LAZY)
		assert_int_equal(count(KTLB_COUNT_GENERATION_READ) - before,
		                 KTLB_CFG_OPT_EARLY_OUT ? 1 : 2);
}

static void one_interrupt_for_two_requests(void **unused)
{
	struct ktlb_call other = {0, 0, 0};
	struct ktlb_request request = request_for(&space[1], 2, 0, 7);

	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	other.request = &request;
	ktlb_cpus[1]->queue = &other; /* somebody else's, interrupt on its way */
	fake_cpu[1].ipi = 1;
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_INVLPG, 0, 0x1000}, {FAKE_INVLPG, 1, 0x1000});
	assert_int_equal(other.done, 7);
}

static void kernel_ranges(void **unused)
{
	const uint64_t top = -(uint64_t)0x1000;

	(void)unused;
	for (int pcid = 0; pcid < 2; pcid++) {
		for (int invpcid = 0; invpcid < 2; invpcid++) {
			for (int pge = 0; pge < 2; pge++) {
				for (uint32_t leaf = 0; leaf < 2; leaf++) {
					uint64_t cr4 = (pcid ? 1 << 17 : 0) | (pge ? 1 << 7 : 0);

					start(2, pcid, invpcid, pge);
					ktlb_flush_kernel_range(top, 0x1000, 0x1000,
					                        leaf ? KTLB_LEAF_ONLY : 0);
					assert_int_equal(fake_log[0].op, FAKE_IPI);
					if (!pcid || (pge && leaf))
						EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, top},
						       {FAKE_INVLPG, 1, top});
					else if (invpcid)
						EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVPCID, 0, 2},
						       {FAKE_INVPCID, 1, 2});
					else
						EXPECT({FAKE_IPI, 0, 1},
						       {FAKE_CR4, 0, cr4 ^ 1 << 7},
						       {FAKE_CR4, 0, cr4},
						       {FAKE_CR4, 1, cr4 ^ 1 << 7},
						       {FAKE_CR4, 1, cr4});
				}
			}
		}
	}
}

/* Two CPUs that flush at once with interrupts off serve each other while they wait. */
static void waiting_cpus_serve(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_no_delivery = 1;
	fake_cpu[0].irqs_off = fake_cpu[1].irqs_off = 1;
	fake_run_on(0);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_true(fake_cpu[0].irqs_off);
	fake_run_on(1);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_true(fake_cpu[1].irqs_off);
}

/* Interrupts are as they were, on every path. */
static void interrupts_are_given_back(void **unused)
{
	(void)unused;
	for (int off = 0; off < 2; off++) {
		switch_on(0, &space[0]);
		switch_on(1, &space[0]);
		fake_run_on(0);
		fake_this()->irqs_off = off;
		ktlb_flush_page(&space[0], 0x1000, 0);
		assert_int_equal(fake_this()->irqs_off, off);
		ktlb_flush_space(&space[5]);
		assert_int_equal(fake_this()->irqs_off, off);
		ktlb_flush_kernel_range(-(uint64_t)0x1000, 0x1000, 0x1000, 0);
		assert_int_equal(fake_this()->irqs_off, off);
		ktlb_poll();
		assert_int_equal(fake_this()->irqs_off, off);
	}
}

/* No CPU may see, in a space that it runs, an entry older than the last flush of it. */
static void random_walks(void **unused)
{
	static uint64_t promised[FAKE_ROOTS][FAKE_PAGES];

	(void)unused;
	srand(3);
	for (int machine = 0; machine < 6; machine++) {
		start(machine < 4 ? 4 : 8, machine & 1, machine & 2, machine != 5);
		memset(promised, 0, sizeof(promised));
		for (int step = 0; step < 30000; step++) {
			uint32_t cpu = (uint32_t)rand() % (machine < 4 ? 4 : 8);
			uint32_t s = (uint32_t)rand() % SPACES;
			uint32_t page = (uint32_t)rand() % FAKE_PAGES, pages = 1;

			fake_run_on(cpu);
			switch (rand() % 8) {
			case 0:
				switch_on(cpu, &space[s]);
				break;
			case 1:
				lazy_on(cpu);
				break;
			case 2:
			case 3:
				pages = rand() % 4 ? 1 : (uint32_t)rand() % (FAKE_PAGES - page) + 1;
				for (uint32_t p = page; p < page + pages; p++)
					fake_version[s + 1][p]++;
				fake_this()->irqs_off = rand() & 1;
				if (pages == 1)
					ktlb_flush_page(&space[s], page << 12,
					                rand() & KTLB_LEAF_ONLY);
				else
					ktlb_flush_range(&space[s], page << 12, pages << 12, 0x1000,
					                 rand() & KTLB_LEAF_ONLY);
				fake_this()->irqs_off = 0;
				fake_interrupts();
				for (uint32_t p = page; p < page + pages; p++)
					promised[s + 1][p] = fake_version[s + 1][p];
				break;
			default:
				if (!runs[cpu])
					break;
				s = (uint32_t)(runs[cpu] - space);
				assert_int_equal(fake_this()->cr3 >> 20, s + 1);
				assert_true(fake_touch(page) >= promised[s + 1][page]);
				break;
			}
		}
	}
}

/* A CPU that was lazy in another space is asked for the one that it runs now. */
static void who_was_lazy_elsewhere_is_asked(void **unused)
{
	(void)unused;
	switch_on(2, &space[1]);
	lazy_on(2);
	switch_on(2, &space[2]);
	fake_run_on(0);
	fake_events = 0;
	ktlb_flush_page(&space[2], 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 2}, {FAKE_INVLPG, 2, 0x1000});
}

/* A space in the memory of one that is gone is another one, whatever is cached of the old. */
static void ids_of_spaces_never_repeat(void **unused)
{
	uint64_t id;

	(void)unused;
	switch_on(0, &space[0]);
	id = ktlb_space_id(&space[0]);
	ktlb_space_destroy(&space[0]);
	ktlb_space_init(&space[0], 1 << 20);
	assert_int_not_equal(ktlb_space_id(&space[0]), id);
	fake_events = 0;
	switch_on(0, &space[0]);
	assert_int_equal(fake_log[0].op, FAKE_CR3);
	assert_int_equal(fake_log[0].operand & KEEP, 0);
}

/* Two changes ahead of a CPU, and only the request of the first is here: everything goes. */
static void a_range_is_not_enough_for_two_changes(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	fake_run_on(0);
	space[0].generation += 2;
	ktlb_cpus[1]->request = request_for(&space[0], space[0].generation - 1, 0x1000, 1);
	ktlb_cpus[1]->call[0].request = &ktlb_cpus[1]->request;
	ktlb_cpus[0]->queue = &ktlb_cpus[1]->call[0];
	fake_events = 0;
	ktlb_poll();
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
}

/* A CPU comes online known first, and empties its TLB then [B22]. */
static void online_empties_the_tlb(void **unused)
{
	static struct ktlb_cpu late;
	int emptied = 0;

	(void)unused;
	fake_start(4, 1, 1, 1);
	memset(&late, 0, sizeof(late));
	fake_cpu[5].irqs_off = 1;
	fake_run_on(5);
	ktlb_sys.cpus = 5;
	ktlb_cpu_online(5, &late);
	for (unsigned i = 0; i < fake_events; i++)
		emptied |= fake_log[i].op == FAKE_INVPCID && fake_log[i].cpu == 5;
	assert_true(emptied);
	assert_ptr_equal(ktlb_cpus[5], &late);
}

/* The audit must be able to fail: each of its sentences, from a state forged for it. */
static void the_audit_finds_what_is_wrong(void **unused)
{
	static const char wrong_root[] =
		"ktlb_audit: the root register does not hold the loaded space's root and id";
	struct ktlb_cpu *self = ktlb_cpus[0];
	uint64_t cr3;

	(void)unused;
	fake_this()->irqs_off = 1;
	assert_null(ktlb_audit());
	cr3 = fake_this()->cr3;
	fake_this()->cr3 = 1 << 20;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: the root register does not hold the kernel's root");
	fake_this()->cr3 = cr3;

	switch_on(0, &space[0]);
	fake_this()->irqs_off = 1;
	cr3 = fake_this()->cr3;
	fake_this()->cr3 = cr3 ^ 3; /* another PCID */
	assert_string_equal(ktlb_audit(), wrong_root);
	fake_this()->cr3 = cr3 ^ 3 << 20; /* another root */
	assert_string_equal(ktlb_audit(), wrong_root);
	fake_this()->cr3 = cr3;
	self->loaded_slot->space_id++;
	assert_string_equal(ktlb_audit(), "ktlb_audit: the slot in use belongs to another space");
	self->loaded_slot->space_id--;
	self->loaded_slot->clean++;
	assert_string_equal(ktlb_audit(), "ktlb_audit: a slot is clean up to a generation that has "
	                                  "not been");
	self->loaded_slot->clean--;
	ktlb_cpuset_remove(&space[0].cpus, 0);
	assert_string_equal(ktlb_audit(), "ktlb_audit: a CPU is not in the set of the space that "
	                                  "it has loaded");
	ktlb_cpuset_add(&space[0].cpus, 0);
	self->loaded = KTLB_SWITCHING;
	assert_string_equal(ktlb_audit(), "ktlb_audit: what is loaded is no space");
	self->loaded = &space[0];
	assert_null(ktlb_audit());
	fake_this()->irqs_off = 0;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_audit()), "ktlb_audit: interrupts must be off");
}

/* ---- misuse -----------------------------------------------------------------------------------*/

static void misuse(void **unused)
{
	struct ktlb_config config = {.cpus = 1, .id_limit = 5, .kernel_root = FAKE_KERNEL_ROOT};
	struct ktlb_space zero;

	(void)unused;
	memset(&zero, 0, sizeof(zero));
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_init(&config)),
	                    "ktlb_init: id_limit must be 0 where ids are per CPU");
	assert_string_equal(
		FAKE_SENTENCE_OF(ktlb_space_init(&zero, 0x1008)),
		"ktlb_space_init: root has bits that ktlb or the architecture needs clear");
	assert_string_equal(
		FAKE_SENTENCE_OF(ktlb_space_init(&zero, KEEP | 0x1000)),
		"ktlb_space_init: root has bits that ktlb or the architecture needs clear");
	fake_run_on(7); /* not online */
	fake_this()->irqs_off = 1;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&space[0])),
	                    "ktlb_switch: this CPU is not online");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_flush_page(&space[0], 0, 0)),
	                    "ktlb_flush: this CPU is not online");
	fake_run_on(0);
	fake_this()->irqs_off = 1;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&zero)),
	                    "ktlb_switch: the space is not initialised");
	if (KTLB_CFG_CHECK)
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(0)),
		                    "ktlb_switch: the space is not initialised");
	if (KTLB_CFG_CHECK) {
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_flush_page(&zero, 0, 0)),
		                    "ktlb_flush: the space is not initialised");
		fake_this()->irqs_off = 0;
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&space[0])),
		                    "ktlb_switch: interrupts must be off");
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_enter_lazy()),
		                    "ktlb_enter_lazy: interrupts must be off");
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_handle_ipi()),
		                    "ktlb_handle_ipi: interrupts must be off");
	}
}

static void who_am_i(void **unused)
{
	(void)unused;
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		fake_run_on(cpu);
		assert_int_equal(ktlb_cpu_id(), cpu);
		assert_ptr_equal(ktlb_cpu_self(), ktlb_cpus[cpu]);
		assert_ptr_equal(ktlb_this_cpu(ktlb_percpu), ktlb_cpus[cpu]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands),
		cmocka_unit_test(facts),
		cmocka_unit_test(features_and_ids),
		cmocka_unit_test(halves),
		cmocka_unit_test_setup(slots_keep_what_is_clean, with_pcid),
		cmocka_unit_test_setup(without_pcids_every_load_flushes, without_pcid),
		cmocka_unit_test_setup(without_pcids_slots_are_bookkeeping, without_pcid),
		cmocka_unit_test_setup(ended_spaces_are_noticed, with_pcid),
		cmocka_unit_test_setup(lazy_keeps_the_space, with_pcid),
		cmocka_unit_test_setup(freed_tables_reach_lazy_cpus, with_pcid),
		cmocka_unit_test_setup(destroy_reaches_lazy_cpus, with_pcid),
		cmocka_unit_test_setup(masks, with_pcid),
		cmocka_unit_test_setup(only_who_runs_it_is_asked, with_pcid),
		cmocka_unit_test_setup(ranges_and_the_limit, with_pcid),
		cmocka_unit_test_setup(ranges_and_the_limit, without_pcid),
		cmocka_unit_test_setup(generations, with_pcid),
		cmocka_unit_test_setup(reads_of_the_generation, with_pcid),
		cmocka_unit_test_setup(one_interrupt_for_two_requests, with_pcid),
		cmocka_unit_test(kernel_ranges),
		cmocka_unit_test_setup(waiting_cpus_serve, with_pcid),
		cmocka_unit_test_setup(interrupts_are_given_back, with_pcid),
		cmocka_unit_test(random_walks),
		cmocka_unit_test_setup(who_was_lazy_elsewhere_is_asked, with_pcid),
		cmocka_unit_test_setup(ids_of_spaces_never_repeat, with_pcid),
		cmocka_unit_test_setup(a_range_is_not_enough_for_two_changes, with_pcid),
		cmocka_unit_test(online_empties_the_tlb),
		cmocka_unit_test_setup(the_audit_finds_what_is_wrong, with_pcid),
		cmocka_unit_test_setup(misuse, with_pcid),
		cmocka_unit_test_setup(who_am_i, with_pcid),
	};

	return cmocka_run_group_tests_name("percpu", tests, 0, 0);
}
