/* SPDX-License-Identifier: MIT */
/*
 * x86-64, what one CPU may see of another in the middle of a step: the hooks of the fake machine stop a
 * CPU at an instruction or a memory access, and another one looks, flushes, or reuses what is its own
 * again. Then what the parameters of ktlb_init change, and what an audit says.
 *
 * A CPU that is stopped cannot answer. Where another one would wait for it, `answer_for` answers in
 * its name without doing the work: the test is about who was asked.
 *
 * Of a barrier these tests show that it is there and at its place, on a machine that keeps program
 * order; what goes wrong without it is stress.c's and the checker's to show.
 */
#include "unit.h"

#define TOP (-(uint64_t)0x1000) /* the kernel's last page */

static void flush_leaf(uint32_t space_number, uint64_t va)
{
	ktlb_flush_page(&space[space_number], va, KTLB_LEAF_ONLY);
}

static int has(const struct ktlb_space *of, uint32_t cpu)
{
	return ktlb_cpuset_has(&of->cpus, cpu);
}

static void answer_for(uint32_t cpu)
{
	struct ktlb_call *call = ktlb_cpus[cpu]->queue;

	ktlb_cpus[cpu]->queue = 0;
	for (; call; call = call->next)
		call->done = call->request->sequence;
}

static unsigned interrupts_to(uint32_t cpu)
{
	unsigned sent = 0;

	for (unsigned i = 0; i < fake_events; i++)
		sent += fake_log[i].op == FAKE_IPI && fake_log[i].operand == cpu;
	return sent;
}

/* As a CPU that waits does, over and over. */
static void poll_on(uint32_t cpu)
{
	fake_run_on(cpu);
	ktlb_poll();
}

/* ---- requests ---------------------------------------------------------------------------------*/

/*
 * A thread waits on CPU 0 for CPU 1. Another thread that runs on CPU 0 meanwhile flushes, too: CPU 0's
 * request and its call to CPU 1 are in use until CPU 1 has answered.
 */
static unsigned waits;

static void second_flush_while_the_first_waits(void)
{
	const struct ktlb_call *call = &ktlb_cpus[0]->call[1];

	switch (waits++) {
	case 0:
		flush_leaf(0, 0x2000);
		assert_int_equal(call->done, 2);
		break;
	case 1: /* the second one waits, with the first one's request untouched */
		assert_ptr_equal(ktlb_cpus[1]->queue, call);
		assert_null(call->next);
		assert_int_equal(call->request->va, 0x1000);
		assert_int_equal(call->request->sequence, 1);
		assert_int_equal(interrupts_to(1), 1);
		poll_on(1);
		break;
	case 2:
		assert_ptr_equal(ktlb_cpus[1]->queue, call);
		assert_int_equal(call->request->va, 0x2000);
		poll_on(1);
		break;
	default:
		fail();
	}
}

static void a_request_is_not_reused_before_its_answer(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_events = 0;
	waits = 0;
	fake_no_delivery = 1;
	fake_others = second_flush_while_the_first_waits;
	flush_leaf(0, 0x1000);
	assert_int_equal(waits, 3);
	/* the space has changed twice when CPU 1 serves the first: everything goes, nothing is left to do */
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000}, {FAKE_CR3, 1, 1 << 20 | 1},
	       {FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x2000});
}

/* The other one asks somebody else: it must wait for those that the first one has asked. */
static void other_flush_while_the_first_waits(void)
{
	switch (waits++) {
	case 0:
		flush_leaf(1, 0x2000);
		break;
	case 1:
		assert_int_equal(ktlb_cpus[0]->call[1].request->va, 0x1000);
		assert_null(ktlb_cpus[2]->queue);
		poll_on(1);
		break;
	default:
		poll_on(2);
	}
}

static void the_next_flush_waits_for_all_of_the_last(void **unused)
{
	(void)unused;
	switch_on(1, &space[0]);
	switch_on(2, &space[1]);
	fake_run_on(0);
	fake_events = 0;
	waits = 0;
	fake_no_delivery = 1;
	fake_others = other_flush_while_the_first_waits;
	flush_leaf(0, 0x1000);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 1, 0x1000}, {FAKE_IPI, 0, 2},
	       {FAKE_INVLPG, 2, 0x2000});
}

/* Whatever CPU 1 executes for a request of CPU 0, it has not answered yet. */
static unsigned worked;

static void not_answered_yet(enum fake_op op, uint64_t operand)
{
	(void)operand;
	if (op == FAKE_IPI || fake_this_number() != 1)
		return;
	worked++;
	assert_true(ktlb_cpus[0]->call[1].done < ktlb_cpus[0]->request.sequence);
}

static void an_answer_comes_after_the_work(void **unused)
{
	(void)unused;
	for (int invpcid = 0; invpcid < 2; invpcid++) {
		start(4, 1, invpcid, 1);
		switch_on(1, &space[0]);
		fake_run_on(0);
		fake_hook = not_answered_yet;
		worked = 0;
		flush_leaf(0, 0x1000);
		assert_int_equal(worked, 1);
		ktlb_flush_space(&space[0]);
		assert_int_equal(worked, 2);
		ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
		assert_int_equal(worked, 3);
		ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, 0);
		assert_int_equal(worked, invpcid ? 4 : 5);
		if (!KTLB_CFG_OPT_LAZY)
			continue;
		lazy_on(1);
		fake_run_on(0);
		worked = 0;
		ktlb_flush_page(&space[0], 0x1000, 0);
		assert_int_equal(worked, 1);
	}
}

/* With the answer a call is its owner's, who uses it at once. */
static void owner_reuses_its_call(enum fake_access access, const void *p)
{
	for (uint32_t cpu = 2; cpu < 4; cpu++) {
		struct ktlb_call *call = &ktlb_cpus[cpu]->call[1];

		if (access == FAKE_STORE_RELEASE && p == &call->done) {
			call->next = 0;
			call->request = 0;
			ktlb_cpus[cpu]->request = (struct ktlb_request){0};
		}
	}
}

static void queue_by_hand(uint32_t from, uint32_t to, uint32_t space_number, uint64_t sequence)
{
	struct ktlb_call *call = &ktlb_cpus[from]->call[to];

	ktlb_cpus[from]->request = (struct ktlb_request){
		.space = &space[space_number],
		.generation = space[space_number].generation,
		.va = 0x1000,
		.pages = 1,
		.step_shift = KTLB_ARCH_PAGE_SHIFT,
		.what = KTLB_WHAT_LEAVES,
		.sequence = sequence,
	};
	call->request = &ktlb_cpus[from]->request;
	call->next = ktlb_cpus[to]->queue;
	ktlb_cpus[to]->queue = call;
}

static void an_answered_call_is_its_owners(void **unused)
{
	(void)unused;
	queue_by_hand(2, 1, 0, 5);
	queue_by_hand(3, 1, 1, 6);
	fake_access_hook = owner_reuses_its_call;
	poll_on(1);
	assert_int_equal(ktlb_cpus[2]->call[1].done, 5);
	assert_int_equal(ktlb_cpus[3]->call[1].done, 6);
}

/* When a call is in a queue, it and its request are complete. */
static unsigned pushed;

static void complete_when_pushed(enum fake_access access, const void *p)
{
	const struct ktlb_call *call = &ktlb_cpus[0]->call[1];

	if (p != &ktlb_cpus[1]->queue || access != FAKE_RMW_RELEASE)
		return;
	pushed++;
	assert_ptr_equal(call->request, &ktlb_cpus[0]->request);
	assert_ptr_equal(call->request->space, &space[0]);
	assert_int_equal(call->request->va, 0x3000);
	assert_int_equal(call->request->pages, 1);
	assert_int_equal(call->request->generation, space[0].generation);
	assert_int_equal(call->request->sequence, call->done + 1);
}

static void a_call_is_complete_when_it_is_pushed(void **unused)
{
	(void)unused;
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_access_hook = complete_when_pushed;
	pushed = 0;
	flush_leaf(0, 0x3000);
	assert_int_equal(pushed, 1);
}

/*
 * CPUs 0 and 1 flush at once, interrupts off. CPU 1 begins while CPU 0 waits, and comes to wait itself
 * before either has served; only its own polling can answer CPU 0.
 */
static void initiator_1(void)
{
	switch (waits++) {
	case 0:
		fake_run_on(1);
		flush_leaf(0, 0x2000);
		assert_true(fake_this()->irqs_off);
		break;
	case 1:
		break;
	default:
		assert_int_equal(ktlb_cpus[0]->call[1].done, 1);
		poll_on(0);
	}
}

static void two_initiators_with_interrupts_off(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_cpu[0].irqs_off = fake_cpu[1].irqs_off = 1;
	fake_no_delivery = 1;
	fake_others = initiator_1;
	fake_run_on(0);
	fake_events = 0;
	waits = 0;
	flush_leaf(0, 0x1000);
	assert_true(fake_cpu[0].irqs_off);
	assert_true(waits >= 3);
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		assert_int_equal(ktlb_cpus[cpu]->slot[0].clean, space[0].generation);
}

/* Two are asked; one's queue is not empty, and its interrupt on the way. */
static void interrupts_only_where_the_queue_was_empty(void **unused)
{
	(void)unused;
	for (int kernel = 0; kernel < 2; kernel++) {
		start(4, 1, 1, 1);
		switch_on(1, &space[0]);
		switch_on(2, &space[0]);
		queue_by_hand(3, 1, 0, 9);
		fake_cpu[1].ipi = 1;
		fake_run_on(0);
		fake_events = 0;
		if (kernel)
			ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
		else
			flush_leaf(0, 0x1000);
		assert_int_equal(interrupts_to(1), 0);
		assert_int_equal(interrupts_to(2), 1);
		assert_int_equal(ktlb_cpus[3]->call[1].done, 9);
		assert_int_equal(ktlb_cpus[0]->call[1].done, 1);
		assert_int_equal(ktlb_cpus[0]->call[2].done, 1);
		if (KTLB_CFG_COUNT)
			assert_int_equal(count(KTLB_COUNT_REQUEST) - count(KTLB_COUNT_INTERRUPT),
			                 1);
	}
}

/* ---- in the middle of a switch ----------------------------------------------------------------*/

/* CPU 0 goes from space 0 to space 1; at the root register: */
static unsigned roots;

static void between_two_roots(enum fake_op op, uint64_t operand)
{
	(void)operand;
	if (op != FAKE_CR3 || fake_this_number() != 0)
		return;
	roots++;
	assert_ptr_equal(ktlb_cpus[0]->loaded, KTLB_SWITCHING);
	assert_int_equal(ktlb_cpus[0]->lazy, 0);
	assert_true(has(&space[1], 0));
	assert_true(has(&space[0], 0)); /* the old root may be walked until now */
}

static void a_switch_shows_itself_before_the_root(void **unused)
{
	(void)unused;
	for (int lazy = 0; lazy < 2; lazy++) {
		start(4, 1, 1, 1);
		switch_on(0, &space[0]);
		if (lazy && KTLB_CFG_OPT_LAZY)
			lazy_on(0);
		fake_hook = between_two_roots;
		roots = 0;
		switch_on(0, &space[1]);
		assert_int_equal(roots, 1);
		assert_ptr_equal(ktlb_cpus[0]->loaded, &space[1]);
		assert_true(has(&space[1], 0));
		assert_int_equal(has(&space[0], 0), KTLB_CFG_OPT_KEEP_MASK_BIT);
	}
}

static void flushes_by_another_cpu(enum fake_op op, uint64_t operand)
{
	(void)operand;
	if (op != FAKE_CR3 || fake_this_number() != 0)
		return;
	fake_hook = 0;
	for (uint32_t s = 0; s < 2; s++) {
		unsigned before = interrupts_to(0);

		fake_run_on(1);
		flush_leaf(s, 0x1000);
		assert_int_equal(interrupts_to(0) - before, 1);
	}
	roots = 1;
}

static void cpu_0_answers(void)
{
	answer_for(0);
}

/* A CPU between two roots counts as one that runs each of them. */
static void a_switching_cpu_is_asked(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	fake_events = 0;
	fake_hook = flushes_by_another_cpu;
	fake_others = cpu_0_answers;
	roots = 0;
	fake_run_on(0);
	fake_this()->irqs_off = 1;
	ktlb_switch(&space[1]);
	assert_int_equal(roots, 1);
}

/* A CPU leaves a set when it no longer walks from the root. */
static void still_in_the_set(enum fake_op op, uint64_t operand)
{
	if (op != FAKE_CR3)
		return;
	roots++;
	assert_int_equal(operand & ~KEEP, FAKE_KERNEL_ROOT);
	assert_ptr_equal(ktlb_cpus[0]->loaded, &space[0]);
	assert_true(has(&space[0], 0));
	assert_true(KTLB_CFG_OPT_KERNEL_NO_MASK || has(&ktlb_kernel_space, 0));
}

static void the_kernels_root_comes_before_leaving_the_set(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK)
		assert_false(has(&ktlb_kernel_space, 0));
	lazy_on(0);
	fake_hook = still_in_the_set;
	roots = 0;
	if (KTLB_CFG_OPT_LAZY) {
		fake_run_on(1);
		ktlb_flush_page(&space[0], 0x1000, 0); /* tables: the lazy CPU lets go */
		assert_int_equal(roots, 1);
	}
	assert_null(ktlb_cpus[0]->loaded);
	assert_int_equal(ktlb_cpus[0]->lazy, 0);
	assert_int_equal(has(&space[0], 0), KTLB_CFG_OPT_KEEP_MASK_BIT);
}

/* Lazy mode ends with a switch to another space, too: the changes of that one are its business. */
static void a_switch_ends_lazy_mode(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	lazy_on(0);
	switch_on(0, &space[1]);
	assert_int_equal(ktlb_cpus[0]->lazy, 0);
	fake_touch(1);
	fake_version[2][1]++;
	fake_run_on(1);
	flush_leaf(1, 0x1000);
	fake_run_on(0);
	assert_int_equal(fake_touch(1), 1);
}

/* ---- barriers, at their places ----------------------------------------------------------------*/

#define TRACE 16384
static struct {
	enum fake_access access;
	const void *p;
	uint32_t cpu;
} trace[TRACE];
static unsigned traced;

static void record(enum fake_access access, const void *p)
{
	assert_true(traced < TRACE);
	trace[traced].access = access;
	trace[traced].p = p;
	trace[traced++].cpu = fake_this_number();
}

/* The first access of this kind by CPU 0 that is not before `from`. */
static unsigned find(unsigned from, enum fake_access access, const void *p)
{
	while (from < traced &&
	       (trace[from].access != access || trace[from].p != p || trace[from].cpu != 0))
		from++;
	if (from == traced)
		fail_msg("access %d of %p is missing", (int)access, p);
	return from;
}

/* Between two accesses: a full fence, or a read-modify-write, which is one on x86-64. */
static int fence_between(unsigned from, unsigned to)
{
	for (; from < to; from++)
		if (trace[from].access == FAKE_FENCE_FULL || trace[from].access == FAKE_RMW ||
		    trace[from].access == FAKE_RMW_RELEASE)
			return 1;
	return 0;
}

static void barriers_of_a_switch(void **unused)
{
	struct ktlb_cpu *self = ktlb_cpus[0];

	(void)unused;
	switch_on(0, &space[1]);
	switch_on(0, &space[0]);
	for (uint32_t s = 1; s < 3; s++) { /* in the set already, unless sets are left; and not */
		unsigned switching, generation, loaded;

		fake_access_hook = record;
		traced = 0;
		switch_on(0, &space[s]);
		fake_access_hook = 0;
		switching = find(0, FAKE_STORE, &self->loaded);
		generation = find(switching, FAKE_LOAD_ACQUIRE, &space[s].generation); /* [B24] */
		assert_true(fence_between(switching, generation));                     /* [B20] */
		loaded = find(generation, FAKE_STORE_RELEASE, &self->loaded);          /* [B23] */
		if (!KTLB_CFG_OPT_KEEP_MASK_BIT)                                       /* [B31] */
			find(loaded, FAKE_RMW_RELEASE, &space[s - 1].cpus.word[0]);
	}
}

static void barriers_of_lazy_mode(void **unused)
{
	struct ktlb_cpu *self = ktlb_cpus[0];
	unsigned lazy, generation;

	(void)unused;
	if (!KTLB_CFG_OPT_LAZY)
		skip();
	switch_on(0, &space[0]);
	fake_access_hook = record;
	traced = 0;
	lazy_on(0);
	lazy = find(0, FAKE_STORE, &self->lazy);
	assert_true(fence_between(0, lazy)); /* the contract's */
	traced = 0;
	switch_on(0, &space[0]);
	fake_access_hook = 0;
	lazy = find(0, FAKE_STORE, &self->lazy);
	generation = find(lazy, FAKE_LOAD_ACQUIRE, &space[0].generation); /* [B24] */
	assert_true(fence_between(lazy, generation));                     /* [B21] */
}

static void barriers_of_a_flush(void **unused)
{
	unsigned raised, set, loaded, lazy, chosen, pushed_at, answered;

	(void)unused;
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_access_hook = record;
	traced = 0;
	flush_leaf(0, 0x1000);
	fake_access_hook = 0;
	raised = find(0, FAKE_RMW_RELEASE, &space[0].generation); /* [B25] */
	set = find(raised, FAKE_LOAD, &space[0].cpus.word[0]);
	loaded = find(set, FAKE_LOAD, &ktlb_cpus[1]->loaded);
	lazy = find(find(loaded, FAKE_FENCE_ACQUIRE, 0), FAKE_LOAD,
	            &ktlb_cpus[1]->lazy);                                           /* [B26] */
	chosen = find(lazy, FAKE_FENCE_ACQUIRE, 0);                                 /* [B31] */
	pushed_at = find(chosen, FAKE_RMW_RELEASE, &ktlb_cpus[1]->queue);           /* [B28] */
	answered = find(pushed_at, FAKE_LOAD_ACQUIRE, &ktlb_cpus[0]->call[1].done); /* [B30] */
	assert_true(answered < traced);
}

/* Nobody is asked, so nothing but [B31] orders what those who left did before the flush returns. */
static void a_flush_that_asks_nobody_has_its_fence(void **unused)
{
	unsigned last;

	(void)unused;
	switch_on(1, &space[0]);
	switch_on(1, &space[1]);
	fake_run_on(0);
	fake_access_hook = record;
	traced = 0;
	flush_leaf(0, 0x1000);
	fake_access_hook = 0;
	last = find(0, FAKE_LOAD,
	            KTLB_CFG_OPT_KEEP_MASK_BIT ? (const void *)&ktlb_cpus[1]->loaded
	                                       : &space[0].cpus.word[0]);
	if (KTLB_CFG_OPT_KEEP_MASK_BIT)
		last = find(last, FAKE_FENCE_ACQUIRE, 0) + 1; /* [B26] */
	find(last, FAKE_FENCE_ACQUIRE, 0);                    /* [B31] */
}

static void barriers_of_an_answer(void **unused)
{
	unsigned taken;

	(void)unused;
	switch_on(0, &space[0]);
	queue_by_hand(1, 0, 0, 4);
	fake_access_hook = record;
	traced = 0;
	poll_on(0);
	fake_access_hook = 0;
	taken = find(0, FAKE_RMW_ACQUIRE, &ktlb_cpus[0]->queue);      /* [B27] */
	find(taken, FAKE_STORE_RELEASE, &ktlb_cpus[1]->call[0].done); /* [B29] */
}

static void a_kernel_range_is_fenced_before_cpus_are_read(void **unused)
{
	unsigned fence;

	(void)unused;
	fake_run_on(0);
	fake_access_hook = record;
	traced = 0;
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, 0);
	fake_access_hook = 0;
	fence = find(0, FAKE_FENCE_FULL, 0); /* [B22] */
	for (unsigned i = 0; i < fence; i++)
		assert_ptr_not_equal(trace[i].p, &ktlb_cpus[1]);
	find(fence, FAKE_LOAD, &ktlb_cpus[1]);
}

/* The end of a space raises no generation, so it needs a fence of its own. */
static void the_end_of_a_space_is_fenced_before_the_set_is_read(void **unused)
{
	unsigned fence;

	(void)unused;
	fake_run_on(0);
	fake_access_hook = record;
	traced = 0;
	ktlb_space_destroy(&space[0]);
	fake_access_hook = 0;
	fence = find(0, FAKE_FENCE_FULL, 0); /* [B25] */
	find(fence, FAKE_LOAD, &space[0].cpus.word[0]);
}

/* ---- whom to ask ------------------------------------------------------------------------------*/

/* Change number 4096, and no other, asks CPUs that run another space to leave the set. */
static void every_4096th_change_trims_the_set(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_OPT_KEEP_MASK_BIT)
		skip();
	switch_on(2, &space[0]);
	switch_on(2, &space[1]);
	switch_on(3, &space[0]);
	lazy_on(3);
	fake_run_on(0);
	space[0].generation = 4094;
	fake_events = 0;
	flush_leaf(0, 0x1000);
	assert_int_equal(space[0].generation, 4095);
	NOTHING();
	assert_true(has(&space[0], 2) && has(&space[0], 3));
	flush_leaf(0, 0x1000);
	assert_int_equal(interrupts_to(2), 1);
	assert_int_equal(interrupts_to(3), 1);
	assert_false(has(&space[0], 2));
	assert_true(has(&space[1], 2));
	assert_ptr_equal(ktlb_cpus[2]->loaded, &space[1]);
	assert_null(ktlb_cpus[3]->loaded);
	switch_on(2, &space[0]); /* and audit: back in the set */
	switch_on(2, &space[1]);
	fake_run_on(0);
	fake_events = 0;
	flush_leaf(0, 0x1000);
	NOTHING();
}

/* Asked for a space that is not loaded: out of that set and no other, once. */
static void who_runs_another_space_leaves_the_set(void **unused)
{
	uint64_t before;

	(void)unused;
	switch_on(2, &space[0]);
	switch_on(2, &space[1]);
	for (int round = 0; round < 2; round++) {
		int was_in = has(&space[0], 2);

		before = count(KTLB_COUNT_MASK_RMW);
		queue_by_hand(0, 2, 0, (uint64_t)round + 1);
		fake_events = 0;
		poll_on(2);
		NOTHING();
		assert_false(has(&space[0], 2));
		assert_true(has(&space[1], 2));
		assert_int_equal(count(KTLB_COUNT_MASK_RMW) - before, KTLB_CFG_COUNT ? was_in : 0);
	}
	/* asked for the space that is loaded: stays */
	queue_by_hand(0, 2, 1, 3);
	poll_on(2);
	assert_true(has(&space[1], 2));
}

static void kernel_ranges_reach_everybody(void **unused)
{
	(void)unused;
	for (int pcid = 0; pcid < 2; pcid++) {
		start(4, pcid, pcid, 1);
		switch_on(0, &space[0]);
		switch_on(1, &space[1]);
		switch_on(2, &space[1]);
		lazy_on(2); /* CPU 3 has never run a space */
		fake_run_on(0);
		fake_events = 0;
		ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
		EXPECT({FAKE_IPI, 0, 1}, {FAKE_IPI, 0, 2}, {FAKE_IPI, 0, 3}, {FAKE_INVLPG, 0, TOP},
		       {FAKE_INVLPG, 1, TOP}, {FAKE_INVLPG, 2, TOP}, {FAKE_INVLPG, 3, TOP});
		/* one page less than the limit, and the limit */
		ktlb_flush_kernel_range(-(uint64_t)(33 << 12), 33 << 12, 0x1000, KTLB_LEAF_ONLY);
		assert_int_equal(fake_events, 3 + 4 * 33);
		fake_events = 0;
		ktlb_flush_kernel_range(-(uint64_t)(34 << 12), 34 << 12, 0x1000, KTLB_LEAF_ONLY);
		assert_int_equal(fake_events, pcid ? 3 + 4 : 3 + 2 * 4);
		for (unsigned i = 3; i < fake_events; i++)
			assert_int_equal(fake_log[i].op, pcid ? FAKE_INVPCID : FAKE_CR4);
		assert_int_equal(count(KTLB_COUNT_FLUSH_WIDENED), KTLB_CFG_COUNT ? 1 : 0);
		/* nobody has lost what it runs */
		assert_ptr_equal(ktlb_cpus[0]->loaded, &space[0]);
		assert_ptr_equal(ktlb_cpus[1]->loaded, &space[1]);
	}
}

/* ---- parameters -------------------------------------------------------------------------------*/

static void boot(struct ktlb_config config)
{
	config.cpus = 2;
	config.kernel_root = FAKE_KERNEL_ROOT;
	fake_power_on(1, 1, 1);
	fake_boot(&config);
	new_spaces();
}

static void the_limit_is_the_kernels(void **unused)
{
	(void)unused;
	boot((struct ktlb_config){.full_flush_strides = 3});
	switch_on(0, &space[0]);
	fake_events = 0;
	ktlb_flush_range(&space[0], 0x1000, 0x2000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_INVLPG, 0, 0x1000}, {FAKE_INVLPG, 0, 0x2000});
	ktlb_flush_range(&space[0], 0x1000, 0x3000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_CR3, 0, 1 << 20 | 1});
	/* leaves, not pages */
	ktlb_flush_range(&space[0], 0x200000, 0x400000, 0x200000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_INVLPG, 0, 0x200000}, {FAKE_INVLPG, 0, 0x400000});
	ktlb_flush_kernel_range(TOP - 0x1000, 0x2000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, TOP - 0x1000}, {FAKE_INVLPG, 0, TOP},
	       {FAKE_INVLPG, 1, TOP - 0x1000}, {FAKE_INVLPG, 1, TOP});
	ktlb_flush_kernel_range(TOP - 0x2000, 0x3000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVPCID, 0, 2}, {FAKE_INVPCID, 1, 2});
}

static void features_are_taken_away(void **unused)
{
	const uint64_t pge = 1 << 7, pcide = 1 << 17;

	(void)unused;
	boot((struct ktlb_config){.without = KTLB_FEATURE_PCID | KTLB_FEATURE_INVPCID});
	assert_int_equal(fake_cpu[1].cr4, pge);
	switch_on(0, &space[0]);
	EXPECT({FAKE_CR3, 0, 1 << 20});
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, 0);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, TOP}, {FAKE_INVLPG, 1, TOP});

	boot((struct ktlb_config){.without = KTLB_FEATURE_INVPCID});
	assert_int_equal(fake_cpu[1].cr4, pge | pcide);
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, 0);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_CR4, 0, pcide}, {FAKE_CR4, 0, pcide | pge},
	       {FAKE_CR4, 1, pcide}, {FAKE_CR4, 1, pcide | pge});

	boot((struct ktlb_config){.without = KTLB_FEATURE_GLOBAL_PAGES});
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVPCID, 0, 2}, {FAKE_INVPCID, 1, 2});
}

/* ---- a CPU comes online -----------------------------------------------------------------------*/

static struct ktlb_cpu late;
static unsigned emptied;

static int another_cpu(void **unused)
{
	const struct ktlb_config config = {.cpus = 3, .kernel_root = FAKE_KERNEL_ROOT};

	(void)unused;
	fake_power_on(1, 1, 1);
	ktlb_init(&config);
	memset(&late, 0, sizeof(late));
	fake_run_on(5);
	fake_events = 0;
	return 0;
}

/* Seen from where the TLB is emptied: the CPU is known, its root is final, PCIDs are on. */
static void known_when_emptied(enum fake_op op, uint64_t operand)
{
	(void)operand;
	if (op != FAKE_INVPCID)
		return;
	if (emptied++)
		return;
	assert_ptr_equal(ktlb_cpus[5], &late);
	assert_int_equal(fake_cpu[5].cr3, FAKE_KERNEL_ROOT);
	assert_int_equal(fake_cpu[5].cr4 & 1 << 17, 1 << 17);
	/* somebody asks, and the interrupt is lost */
	late.queue = &late.call[0];
	late.call[0].request = &late.request;
	late.request.sequence = 1;
}

static void online_is_known_then_empty_then_serves(void **unused)
{
	unsigned known;

	(void)unused;
	fake_hook = known_when_emptied;
	emptied = 0;
	fake_access_hook = 0;
	ktlb_cpu_online(5, &late);
	assert_int_equal(emptied, 2); /* once for the request */
	assert_null(late.queue);
	assert_int_equal(late.call[0].done, 1);

	another_cpu(0);
	traced = 0;
	fake_run_on(0);
	fake_access_hook = record;
	ktlb_cpu_online(0, &late);
	fake_access_hook = 0;
	known = find(0, FAKE_STORE_RELEASE, &ktlb_cpus[0]); /* [B12] */
	find(known, FAKE_FENCE_FULL, 0);                    /* [B22] */
}

static void online_misuse(void **unused)
{
	static struct ktlb_cpu states[4];

	(void)unused;
	memset(states, 0, sizeof(states));
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		fake_run_on(cpu);
		ktlb_cpu_online(cpu, &states[cpu]);
	}
	fake_run_on(3);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_online(3, &states[3])),
	                    "ktlb_cpu_online: more CPUs than ktlb_config.cpus");
	memset(&states[3], 0, sizeof(states[3]));
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_online(2, &states[3])),
	                    "ktlb_cpu_online: this CPU number is online already");
}

/* ---- destroy and audit ------------------------------------------------------------------------*/

/* This CPU runs the space that it destroys: it ends with the kernel's root, and in no space. */
static void destroy_takes_the_space_off_this_cpu(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	ktlb_space_destroy(&space[0]);
	assert_null(ktlb_cpus[0]->loaded);
	assert_int_equal(ktlb_cpus[0]->lazy, 0);
	assert_int_equal(fake_this()->cr3, FAKE_KERNEL_ROOT);
	assert_false(fake_this()->irqs_off);
	assert_null(space[0].self);
}

/* No change has a number here, and still no CPU that is lazy is passed over. */
static void destroy_asks_whoever_may_have_the_root(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_OPT_LAZY)
		skip();
	switch_on(1, &space[0]);
	switch_on(2, &space[0]);
	lazy_on(1);
	lazy_on(2);
	fake_run_on(0);
	fake_events = 0;
	ktlb_space_destroy(&space[0]);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_IPI, 0, 2}, {FAKE_CR3, 1, KEEP | FAKE_KERNEL_ROOT},
	       {FAKE_CR3, 2, KEEP | FAKE_KERNEL_ROOT});
}

static void an_audit_finds_what_is_wrong(void **unused)
{
	static struct ktlb_space nobody;
	struct ktlb_cpu *self = ktlb_cpus[0];
	struct ktlb_slot *slot;

	(void)unused;
	fake_run_on(0);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_audit()), "ktlb_audit: interrupts must be off");
	fake_this()->irqs_off = 1;
	assert_null(ktlb_audit());
	ktlb_switch(&space[0]);
	assert_null(ktlb_audit());
	slot = self->loaded_slot;

	self->loaded = KTLB_SWITCHING;
	assert_string_equal(ktlb_audit(), "ktlb_audit: what is loaded is no space");
	self->loaded = &nobody;
	assert_string_equal(ktlb_audit(), "ktlb_audit: what is loaded is no space");
	self->loaded = &space[0];

	slot->space_id++;
	assert_string_equal(ktlb_audit(), "ktlb_audit: the slot in use belongs to another space");
	slot->space_id--;

	slot->clean++;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: a slot is clean up to a generation that has not been");
	slot->clean -= 2; /* behind is allowed */
	assert_null(ktlb_audit());
	slot->clean++;

	ktlb_cpuset_remove(&space[0].cpus, 0);
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: a CPU is not in the set of the space that it has loaded");
	ktlb_cpuset_add(&space[0].cpus, 0);
	assert_null(ktlb_audit());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_request_is_not_reused_before_its_answer, with_pcid),
		cmocka_unit_test_setup(the_next_flush_waits_for_all_of_the_last, with_pcid),
		cmocka_unit_test(an_answer_comes_after_the_work),
		cmocka_unit_test_setup(an_answered_call_is_its_owners, with_pcid),
		cmocka_unit_test_setup(a_call_is_complete_when_it_is_pushed, with_pcid),
		cmocka_unit_test_setup(two_initiators_with_interrupts_off, with_pcid),
		cmocka_unit_test(interrupts_only_where_the_queue_was_empty),
		cmocka_unit_test(a_switch_shows_itself_before_the_root),
		cmocka_unit_test_setup(a_switching_cpu_is_asked, with_pcid),
		cmocka_unit_test_setup(a_switching_cpu_is_asked, without_pcid),
		cmocka_unit_test_setup(the_kernels_root_comes_before_leaving_the_set, with_pcid),
		cmocka_unit_test_setup(a_switch_ends_lazy_mode, with_pcid),
		cmocka_unit_test_setup(barriers_of_a_switch, with_pcid),
		cmocka_unit_test_setup(barriers_of_lazy_mode, with_pcid),
		cmocka_unit_test_setup(barriers_of_a_flush, with_pcid),
		cmocka_unit_test_setup(a_flush_that_asks_nobody_has_its_fence, with_pcid),
		cmocka_unit_test_setup(barriers_of_an_answer, with_pcid),
		cmocka_unit_test_setup(a_kernel_range_is_fenced_before_cpus_are_read, with_pcid),
		cmocka_unit_test_setup(the_end_of_a_space_is_fenced_before_the_set_is_read,
	                               with_pcid),
		cmocka_unit_test_setup(every_4096th_change_trims_the_set, with_pcid),
		cmocka_unit_test_setup(who_runs_another_space_leaves_the_set, with_pcid),
		cmocka_unit_test(kernel_ranges_reach_everybody),
		cmocka_unit_test(the_limit_is_the_kernels),
		cmocka_unit_test(features_are_taken_away),
		cmocka_unit_test_setup(online_is_known_then_empty_then_serves, another_cpu),
		cmocka_unit_test_setup(online_misuse, another_cpu),
		cmocka_unit_test_setup(destroy_takes_the_space_off_this_cpu, with_pcid),
		cmocka_unit_test_setup(destroy_asks_whoever_may_have_the_root, with_pcid),
		cmocka_unit_test_setup(an_audit_finds_what_is_wrong, with_pcid),
	};

	return cmocka_run_group_tests_name("protocol", tests, 0, 0);
}
