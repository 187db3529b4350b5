/* SPDX-License-Identifier: MIT */
/*
 * x86-64, CPUs that go and come back: in which order one goes, what becomes of requests that are on
 * their way to it, and that nothing of its former life is left when it is back.
 */
#include "unit.h"

#define TOP    (-(uint64_t)0x1000) /* the kernel's last page */
#define CLOSED ((struct ktlb_call *)1)

static void offline(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_this()->irqs_off = 1;
	runs[cpu] = 0;
	ktlb_cpu_offline();
}

/* As after a reset: CR4 and the GS base are the firmware's, the TLB is full of a former life. */
static void reset(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_cpu[cpu].cr3 = FAKE_KERNEL_ROOT;
	fake_cpu[cpu].cr4 = 1 << 7;
	fake_cpu[cpu].gs_base = 0;
	memset(fake_cpu[cpu].cached, 0x55, sizeof(fake_cpu[cpu].cached));
	memset(fake_cpu[cpu].kernel, 0x55, sizeof(fake_cpu[cpu].kernel));
}

static void online(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_this()->irqs_off = 1;
	ktlb_cpu_online(cpu, fake_state(cpu));
	fake_this()->irqs_off = 0;
}

static int in_set(const struct ktlb_space *of, uint32_t cpu)
{
	return ktlb_cpuset_has(&of->cpus, cpu);
}

/* ---- the way out ------------------------------------------------------------------------------*/

static unsigned roots;

static void in_the_set_while_the_root_goes(enum fake_op op, uint64_t operand)
{
	if (op != FAKE_CR3)
		return;
	roots++;
	assert_int_equal(operand & ~KEEP, FAKE_KERNEL_ROOT);
	assert_true(in_set(&space[0], 1));
	assert_true(ktlb_cpuset_has(&ktlb_online, 1));
	assert_null(fake_state(1)->queue);
}

static void leaves_root_then_set_then_requests(void **unused)
{
	(void)unused;
	if (!KTLB_CFG_OPT_LAZY)
		skip(); /* the root has gone with the lazy mode */
	switch_on(1, &space[0]);
	lazy_on(1);
	roots = 0;
	fake_hook = in_the_set_while_the_root_goes;
	offline(1);
	fake_hook = 0;
	assert_int_equal(roots, 1);
	assert_false(in_set(&space[0], 1));
	assert_false(in_set(&ktlb_kernel_space, 1));
	assert_false(ktlb_cpuset_has(&ktlb_online, 1));
	assert_null(fake_state(1)->loaded);
	assert_int_equal(fake_state(1)->lazy, 0);
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
	assert_ptr_equal(ktlb_cpus[1], fake_state(1));
}

/* [B60] Before the queue is seen to be closed there is a full fence. */
static unsigned fences;

static void fence_before_the_exchange(enum fake_access access, const void *p)
{
	fences += access == FAKE_FENCE_FULL;
	if (access == FAKE_RMW_ACQUIRE && p == &fake_state(1)->queue) {
		assert_true(fences > 0);
		assert_false(ktlb_cpuset_has(&ktlb_online, 1));
		fake_access_hook = 0;
	}
}

static void the_queue_is_closed_behind_a_fence(void **unused)
{
	(void)unused;
	switch_on(1, &space[0]);
	fences = 0;
	fake_access_hook = fence_before_the_exchange;
	offline(1);
	assert_null(fake_access_hook);
}

/* A request of CPU 0 as if pushed a moment ago. */
static void pushed(uint64_t va)
{
	struct ktlb_cpu *from = fake_state(0);
	struct ktlb_call *call = &from->call[1];

	from->request = (struct ktlb_request){.va = va, .pages = 1, .step_shift = 12};
	from->request.what = KTLB_WHAT_LEAVES;
	from->request.sequence = 7;
	call->request = &from->request;
	call->next = 0;
	fake_state(1)->queue = call;
}

static void what_was_asked_before_is_answered(void **unused)
{
	(void)unused;
	fake_run_on(1);
	fake_touch_kernel(0);
	fake_kernel_version[0] = 1;
	pushed(TOP);
	offline(1);
	assert_int_equal(fake_state(0)->call[1].done, 7);
	assert_int_equal(fake_touch_kernel(0), 1);
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
}

/* ---- others meanwhile -------------------------------------------------------------------------*/

/* The bit stays in the set of a space that ran here before the last one. */
static void nobody_asks_who_is_offline(void **unused)
{
	uint64_t skipped;

	(void)unused;
	switch_on(1, &space[0]);
	switch_on(1, &space[1]);
	offline(1);
	assert_int_equal(in_set(&space[0], 1), KTLB_CFG_OPT_KEEP_MASK_BIT);
	fake_events = 0;
	skipped = count(KTLB_COUNT_SKIP_OFFLINE);
	fake_run_on(0);
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	ktlb_flush_space(&space[0]); /* asks all of the set */
	ktlb_space_destroy(&space[0]);
	for (unsigned i = 0; i < fake_events; i++)
		assert_int_not_equal(fake_log[i].op, FAKE_IPI);
	if (KTLB_CFG_COUNT)
		assert_int_equal(count(KTLB_COUNT_SKIP_OFFLINE) - skipped,
		                 2 * KTLB_CFG_OPT_KEEP_MASK_BIT);

	fake_events = 0;
	ktlb_flush_kernel_range(TOP, 0x1000, 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 2}, {FAKE_IPI, 0, 3}, {FAKE_INVLPG, 0, TOP}, {FAKE_INVLPG, 2, TOP},
	       {FAKE_INVLPG, 3, TOP});
}

/* Chosen while it was online; it goes before the request is pushed. [B61] is after that. */
static unsigned acquired;

static void goes_before_the_push(enum fake_access access, const void *p)
{
	if (access == FAKE_RMW_RELEASE && p == &fake_state(1)->queue) {
		fake_access_hook = 0;
		offline(1);
		acquired = 0;
		fake_access_hook = goes_before_the_push;
		fake_run_on(0);
	}
	acquired += access == FAKE_FENCE_ACQUIRE;
	if (access == FAKE_STORE_RELEASE && p == &fake_state(0)->call[1].done) {
		assert_int_equal(acquired, 1);
		fake_access_hook = 0;
	}
}

static void who_goes_meanwhile_is_not_waited_for(void **unused)
{
	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(0);
	fake_events = 0;
	fake_access_hook = goes_before_the_push;
	ktlb_flush_page(&space[0], 0x1000, 0);
	assert_null(fake_access_hook);
	for (unsigned i = 0; i < fake_events; i++)
		assert_int_not_equal(fake_log[i].op, FAKE_IPI);
	assert_int_equal(fake_state(0)->call[1].done, fake_state(0)->request.sequence);
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
}

/* ---- an interrupt that comes late -------------------------------------------------------------*/

static unsigned exchanges;

/* The handler has taken the mark; a flusher finds the queue empty before the mark is back. */
static void pushed_in_between(enum fake_access access, const void *p)
{
	if (access == FAKE_RMW_ACQUIRE && p == &fake_state(1)->queue && ++exchanges == 2) {
		assert_null(fake_state(1)->queue);
		pushed(TOP);
	}
}

static void a_late_interrupt_is_harmless(void **unused)
{
	(void)unused;
	offline(1);
	ktlb_handle_ipi();
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
	ktlb_poll();
	assert_ptr_equal(fake_state(1)->queue, CLOSED);

	exchanges = 0;
	fake_access_hook = pushed_in_between;
	ktlb_handle_ipi();
	fake_access_hook = 0;
	assert_int_equal(exchanges, 2);
	assert_int_equal(fake_state(0)->call[1].done, 7);
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
}

/* ---- the way back -----------------------------------------------------------------------------*/

static void comes_back_with_nothing(void **unused)
{
	uint64_t generation, sequence, counted;

	(void)unused;
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	fake_run_on(1);
	fake_touch(1);
	ktlb_flush_page(&space[0], 0x3000, KTLB_LEAF_ONLY);
	generation = space[0].generation;
	sequence = fake_state(1)->request.sequence;
	counted = count(KTLB_COUNT_FLUSH_PAGE);
	offline(1);

	fake_run_on(0);
	fake_version[1][1] = 5;
	fake_kernel_version[0] = 6;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	assert_int_equal(space[0].generation, generation + 1);

	reset(1);
	online(1);
	assert_true(ktlb_cpuset_has(&ktlb_online, 1));
	assert_null(fake_state(1)->queue);
	assert_int_equal(fake_touch_kernel(0), 6);
	assert_int_equal(fake_state(1)->request.sequence, sequence);
	if (KTLB_CFG_COUNT)
		assert_int_equal(count(KTLB_COUNT_FLUSH_PAGE), counted + 1);

	switch_on(1, &space[0]);
	fake_run_on(1);
	assert_int_equal(fake_touch(1), 5);

	/* and is asked again, and answers */
	fake_run_on(0);
	fake_version[1][1] = 9;
	fake_events = 0;
	ktlb_flush_page(&space[0], 0x1000, KTLB_LEAF_ONLY);
	EXPECT({FAKE_IPI, 0, 1}, {FAKE_INVLPG, 0, 0x1000}, {FAKE_INVLPG, 1, 0x1000});
	fake_run_on(1);
	assert_int_equal(fake_touch(1), 9);
}

/* The queue is open before the fence, the TLB emptied after it [B22]. */
static unsigned step;

static void open_before_the_fence(enum fake_access access, const void *p)
{
	if (access == FAKE_STORE_RELEASE && p == &ktlb_cpus[1]) {
		assert_null(fake_state(1)->queue);
		step = 1;
	}
	if (access == FAKE_FENCE_FULL && step == 1) {
		step = 2;
		fake_access_hook = 0;
	}
}

static void opens_before_it_empties(void **unused)
{
	(void)unused;
	offline(1);
	reset(1);
	step = 0;
	fake_access_hook = open_before_the_fence;
	online(1);
	assert_int_equal(step, 2);
}

static void suspend_remembers_the_space(void **unused)
{
	struct ktlb_suspended suspended;

	(void)unused;
	switch_on(1, &space[0]);
	fake_run_on(1);
	fake_this()->irqs_off = 1;
	ktlb_cpu_suspend(&suspended);
	assert_ptr_equal(suspended.space, &space[0]);
	assert_ptr_equal(fake_state(1)->queue, CLOSED);
	reset(1);
	ktlb_cpu_resume(&suspended);
	assert_int_equal(fake_root(), 1);
	assert_null(ktlb_audit());

	ktlb_enter_lazy();
	ktlb_cpu_suspend(&suspended);
	assert_null(suspended.space);
	reset(1);
	ktlb_cpu_resume(&suspended);
	assert_int_equal(fake_root(), 0);
	assert_null(ktlb_audit());
}

static void misuse(void **unused)
{
	static struct ktlb_cpu other;
	struct ktlb_suspended suspended;

	(void)unused;
	memset(&other, 0, sizeof(other));
	switch_on(1, &space[1]);
	switch_on(1, &space[0]);
	fake_run_on(1);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_offline()),
	                    "ktlb_cpu_offline: interrupts must be off");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_suspend(&suspended)),
	                    "ktlb_cpu_suspend: interrupts must be off");
	offline(1);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_offline()),
	                    "ktlb_cpu_offline: this CPU is not online");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_suspend(&suspended)),
	                    "ktlb_cpu_suspend: this CPU is not online");
	/* still in the set of the one, not of the other */
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&space[0])),
	                    "ktlb_switch: this CPU is not online");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_switch(&space[1])),
	                    "ktlb_switch: this CPU is not online");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_flush_space(&space[0])),
	                    "ktlb_flush: this CPU is not online");
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_online(1, &other)),
	                    "ktlb_cpu_online: a CPU that comes back must bring the state that it "
	                    "had");
	ktlb_online.word[0] &= ~(uint64_t)2; /* that one got half way */
	memset(fake_state(1), 0, sizeof(other));
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_cpu_online(1, fake_state(1))),
	                    "ktlb_cpu_online: a CPU that comes back must bring the state that it "
	                    "had");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(leaves_root_then_set_then_requests, with_pcid),
		cmocka_unit_test_setup(leaves_root_then_set_then_requests, without_pcid),
		cmocka_unit_test_setup(the_queue_is_closed_behind_a_fence, with_pcid),
		cmocka_unit_test_setup(what_was_asked_before_is_answered, with_pcid),
		cmocka_unit_test_setup(nobody_asks_who_is_offline, with_pcid),
		cmocka_unit_test_setup(who_goes_meanwhile_is_not_waited_for, with_pcid),
		cmocka_unit_test_setup(a_late_interrupt_is_harmless, with_pcid),
		cmocka_unit_test_setup(comes_back_with_nothing, with_pcid),
		cmocka_unit_test_setup(opens_before_it_empties, with_pcid),
		cmocka_unit_test_setup(suspend_remembers_the_space, with_pcid),
		cmocka_unit_test_setup(suspend_remembers_the_space, without_pcid),
		cmocka_unit_test_setup(misuse, with_pcid),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
