/* SPDX-License-Identifier: MIT */
/*
 * ktlb_loaded, asked by an NMI: at every access to shared memory and every instruction of switches, lazy
 * mode and flushes. Whenever it says yes the root is the space's, and what is used then is not older
 * than the last flush that has returned.
 */
#include "unit.h"

#define PAGES 4

static uint64_t flushed[SPACES][PAGES]; /* versions that a flush which has returned has ended */
static int inside;
static unsigned yes, no;

static void nmi(void)
{
	if (inside || !fake_this()->gs_base)
		return;
	inside = 1;
	for (uint32_t s = 0; s < SPACES; s++) {
		if (!ktlb_loaded(&space[s])) {
			no++;
			continue;
		}
		yes++;
		assert_int_equal(fake_root(), s + 1);
		for (uint32_t page = 0; page < PAGES; page++)
			assert_true(fake_touch(page) >= flushed[s][page]);
	}
	inside = 0;
}

static void nmi_at_instruction(enum fake_op op, uint64_t operand)
{
	(void)op;
	(void)operand;
	nmi();
}

static void nmi_at_access(enum fake_access access, const void *p)
{
	(void)access;
	(void)p;
	nmi();
}

static void flush(uint32_t s)
{
	uint32_t page = (uint32_t)rand() % PAGES;
	uint64_t version = ++fake_version[s + 1][page];

	if (rand() % 2)
		ktlb_flush_page(&space[s], (uint64_t)page << 12, KTLB_LEAF_ONLY);
	else
		ktlb_flush_space(&space[s]);
	flushed[s][page] = version;
}

static void at_every_step(int has_pcid)
{
	srand(11);
	start(3, has_pcid, has_pcid, 1);
	memset(flushed, 0, sizeof(flushed));
	memset(fake_version, 0, sizeof(fake_version));
	yes = no = 0;
	fake_hook = nmi_at_instruction;
	fake_access_hook = nmi_at_access;
	for (int i = 0; i < 4000; i++) {
		uint32_t cpu = (uint32_t)rand() % 3, s = (uint32_t)rand() % 4;

		switch (rand() % 5) {
		case 0:
			lazy_on(cpu);
			break;
		case 1:
		case 2:
			switch_on(cpu, &space[s]);
			break;
		default:
			fake_run_on(cpu);
			flush(s);
			break;
		}
		fake_events = 0;
	}
	fake_hook = 0;
	fake_access_hook = 0;
	assert_true(yes > 1000 && no > 1000);
}

static void whenever_it_says_yes(void **unused)
{
	(void)unused;
	at_every_step(1);
	at_every_step(0);
}

static void in_quiet_times(void **unused)
{
	(void)unused;
	start(2, 1, 1, 1);
	fake_run_on(0);
	assert_false(ktlb_loaded(&space[0]));
	switch_on(0, &space[0]);
	assert_true(ktlb_loaded(&space[0]));
	assert_false(ktlb_loaded(&space[1]));
	fake_run_on(1);
	assert_false(ktlb_loaded(&space[0]));
	lazy_on(0);
	assert_false(ktlb_loaded(&space[0]));
	switch_on(0, &space[0]);
	assert_true(ktlb_loaded(&space[0]));
	/* between the kernel's root and the note of it: no instruction for a hook is there */
	fake_this()->irqs_off = 1;
	fake_write_cr3(FAKE_KERNEL_ROOT);
	assert_ptr_equal(ktlb_cpu_self()->loaded, &space[0]);
	assert_false(ktlb_loaded(&space[0]));
	fake_this()->irqs_off = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whenever_it_says_yes),
		cmocka_unit_test(in_quiet_times),
	};

	return cmocka_run_group_tests_name("loaded", tests, 0, 0);
}
