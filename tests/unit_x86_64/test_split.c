/* SPDX-License-Identifier: MIT */
/*
 * Two ids a slot (KTLB_CFG_SPLIT_IDS): the kernel runs under one, user mode under the other, which no
 * flush reaches directly unless by INVPCID. What user mode sees after the way out is compared with the
 * page table, under every flush, by this CPU and by others, with PCIDs and INVPCID and without.
 */
#include "unit.h"

#define PAGES 6

static uint64_t entry_cr3[FAKE_CPUS];
static uint64_t newest[FAKE_KERNEL_PAGES]; /* of the kernel's pages */

/* To user mode and back, as trap.S would. */
static void go_out(uint32_t cpu)
{
	uint64_t cr3;

	fake_run_on(cpu);
	fake_this()->irqs_off = 1;
	cr3 = ktlb_exit_cr3(&entry_cr3[cpu]);
	fake_write_cr3(cr3);
}

static void come_in(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_write_cr3(entry_cr3[cpu]);
	fake_this()->irqs_off = 0;
	fake_interrupts();
}

/* What the CPU runs it sees as it is, in either mode. */
static void looks_right(uint32_t cpu)
{
	uint64_t root = (uint64_t)(runs[cpu] - space) + 1;

	go_out(cpu);
	assert_int_equal(fake_root(), root);
	for (uint32_t page = 0; page < PAGES; page++)
		assert_int_equal(fake_touch(page), fake_version[root][page]);
	assert_int_equal(fake_walk(), fake_table_version[root]);
	for (uint32_t page = 0; page < FAKE_KERNEL_PAGES; page++)
		assert_int_equal(fake_touch_kernel(page), newest[page]);
	come_in(cpu);
	for (uint32_t page = 0; page < PAGES; page++)
		assert_int_equal(fake_touch(page), fake_version[root][page]);
	for (uint32_t page = 0; page < FAKE_KERNEL_PAGES; page++)
		assert_int_equal(fake_touch_kernel(page), newest[page]);
}

static void numbering(void **unused)
{
	unsigned char used[4096] = {0};

	(void)unused;
	/* injective, 12 bits, none of them the kernel's own */
	used[0] = 1;
	for (uint32_t slot = 0; slot < KTLB_SLOTS; slot++) {
		uint64_t tag = ktlb_arch_slot_tag(slot, KTLB_FEATURE_PCID);
		uint64_t user = ktlb_arch_user_tag(tag);

		assert_int_equal(tag >> 12, user >> 12);
		assert_false(used[tag & 0xfff]++);
		assert_false(used[user & 0xfff]++);
		/* INVPCID names the same as CR3 */
		assert_int_equal(ktlb_x86_invpcid(user, 0).pcid, user & 0xfff);
	}
	assert_int_equal(ktlb_arch_user_tag(0), 0); /* without PCIDs */
	start(1, 1, 1, 0);
	assert_int_equal(ktlb_id_limit(), 2 * KTLB_SLOTS + 1);
	start(1, 0, 0, 0);
	assert_int_equal(ktlb_id_limit(), 1);
}

static void the_way_out_and_in(void **unused)
{
	uint64_t entry;

	(void)unused;
	ktlb_space_user_root(&space[1], (2 << 20) + 4096);
	switch_on(0, &space[0]);
	fake_this()->irqs_off = 1;
	/* the first time the user's id is emptied; then it is kept */
	assert_int_equal(ktlb_exit_cr3(&entry), (1 << 20) | 0x801);
	assert_int_equal(entry, KEEP | (1 << 20) | 1);
	assert_int_equal(ktlb_exit_cr3(&entry), KEEP | (1 << 20) | 0x801);
	switch_on(0, &space[1]);
	fake_this()->irqs_off = 1;
	assert_int_equal(ktlb_exit_cr3(&entry), ((2 << 20) + 4096) | 0x802);
	assert_int_equal(entry, KEEP | (2 << 20) | 2);
	switch_on(0, &space[0]); /* a hit: nothing has to go */
	fake_this()->irqs_off = 1;
	assert_int_equal(ktlb_exit_cr3(&entry), KEEP | (1 << 20) | 0x801);
	fake_this()->irqs_off = 0;
}

static void without_pcids_both_are_one(void **unused)
{
	uint64_t entry;

	(void)unused;
	ktlb_space_user_root(&space[0], (1 << 20) + 4096);
	switch_on(0, &space[0]);
	fake_this()->irqs_off = 1;
	assert_int_equal(ktlb_exit_cr3(&entry), (1 << 20) + 4096);
	assert_int_equal(entry, 1 << 20);
	fake_this()->irqs_off = 0;
}

/* A page goes from both ids at once where INVPCID can; what is more, or takes tables, on the way out. */
static void what_is_done_when(void **unused)
{
	uint64_t entry;

	(void)unused;
	switch_on(0, &space[0]);
	go_out(0);
	come_in(0);
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_INVLPG, 0, 0x3000}, {FAKE_INVPCID, 0, 0});
	ktlb_fix_spurious(&space[0], 0x3000);
	EXPECT({FAKE_INVLPG, 0, 0x3000}, {FAKE_INVPCID, 0, 0});
	fake_this()->irqs_off = 1;
	assert_true(ktlb_exit_cr3(&entry) & KEEP);
	ktlb_flush_page(&space[0], 0x3000, 0);
	EXPECT({FAKE_INVLPG, 0, 0x3000});
	assert_false(ktlb_exit_cr3(&entry) & KEEP);
	assert_true(ktlb_exit_cr3(&entry) & KEEP);
	ktlb_flush_space(&space[0]);
	assert_false(ktlb_exit_cr3(&entry) & KEEP);
	fake_this()->irqs_off = 0;
}

static void without_invpcid_on_the_way_out(void **unused)
{
	uint64_t entry;

	(void)unused;
	start(2, 1, 0, 0);
	switch_on(0, &space[0]);
	go_out(0);
	come_in(0);
	fake_this()->irqs_off = 1;
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);
	assert_false(ktlb_exit_cr3(&entry) & KEEP);
	assert_true(ktlb_exit_cr3(&entry) & KEEP);
	fake_this()->irqs_off = 0;
}

static void change(uint32_t s)
{
	uint32_t page = (uint32_t)rand() % PAGES, pages = 1 + (uint32_t)rand() % (PAGES - page);
	uint32_t flags = rand() % 2 ? KTLB_LEAF_ONLY : 0;
	uint64_t *table = &fake_table_version[s + 1];

	switch (rand() % 4) {
	case 0:
		fake_version[s + 1][page]++;
		*table += !flags;
		ktlb_flush_page(&space[s], (uint64_t)page << 12, flags);
		break;
	case 1:
		for (uint32_t i = page; i < page + pages; i++)
			fake_version[s + 1][i]++;
		*table += !flags;
		ktlb_flush_range(&space[s], (uint64_t)page << 12, (uint64_t)pages << 12, 4096,
		                 flags);
		break;
	case 2:
		for (uint32_t i = 0; i < PAGES; i++)
			fake_version[s + 1][i]++;
		*table += 1;
		ktlb_flush_space(&space[s]);
		break;
	case 3:
		page %= FAKE_KERNEL_PAGES;
		newest[page] = ++fake_kernel_version[page];
		ktlb_flush_kernel_range(FAKE_KERNEL_VA(page), 4096, 4096, flags);
		break;
	}
}

static void random_walk(int has_pcid, int has_invpcid)
{
	const uint32_t cpus = 3;

	start(cpus, has_pcid, has_invpcid, 0);
	memset(newest, 0, sizeof(newest));
	for (uint32_t page = 0; page < FAKE_KERNEL_PAGES; page++)
		newest[page] = fake_kernel_version[page];
	for (uint32_t s = 0; s < SPACES; s += 2)
		ktlb_space_user_root(&space[s], ((uint64_t)(s + 1) << 20) + 4096);
	for (int i = 0; i < 20000; i++) {
		uint32_t cpu = (uint32_t)rand() % cpus, s = (uint32_t)rand() % SPACES;

		switch (rand() % 6) {
		case 0:
			lazy_on(cpu);
			break;
		case 1:
			switch_on(cpu, &space[s]);
			break;
		case 2:
		case 3:
			fake_run_on(cpu);
			change(rand() % 2 && runs[cpu] ? (uint32_t)(runs[cpu] - space) : s);
			break;
		default:
			if (runs[cpu])
				looks_right(cpu);
			break;
		}
		fake_events = 0;
	}
}

static void user_mode_never_sees_what_was(void **unused)
{
	(void)unused;
	srand(5);
	random_walk(1, 1);
	random_walk(1, 0);
	random_walk(0, 0);
}

static void misuse(void **unused)
{
	static struct ktlb_space none;
	uint64_t entry;

	(void)unused;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_space_user_root(&none, 0)),
	                    "ktlb_space_user_root: the space is not initialised");
	assert_string_equal(
		FAKE_SENTENCE_OF(ktlb_space_user_root(&space[0], 0x100001)),
		"ktlb_space_user_root: root has bits that ktlb or the architecture needs clear");
	if (!KTLB_CFG_CHECK)
		return;
	fake_run_on(0);
	fake_this()->irqs_off = 1;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_exit_cr3(&entry)),
	                    "ktlb_exit_cr3: no space is loaded");
	switch_on(0, &space[0]);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_exit_cr3(&entry)),
	                    "ktlb_exit_cr3: interrupts must be off");
	lazy_on(0);
	fake_this()->irqs_off = 1;
	if (KTLB_CFG_OPT_LAZY)
		assert_string_equal(FAKE_SENTENCE_OF(ktlb_exit_cr3(&entry)),
		                    "ktlb_exit_cr3: no space is loaded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbering),
		cmocka_unit_test_setup(the_way_out_and_in, with_pcid),
		cmocka_unit_test_setup(without_pcids_both_are_one, without_pcid),
		cmocka_unit_test_setup(what_is_done_when, with_pcid),
		cmocka_unit_test(without_invpcid_on_the_way_out),
		cmocka_unit_test(user_mode_never_sees_what_was),
		cmocka_unit_test_setup(misuse, with_pcid),
	};

	return cmocka_run_group_tests_name("split", tests, 0, 0);
}
