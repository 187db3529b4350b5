/* SPDX-License-Identifier: MIT */
/*
 * The simulated machine's CPUs, threads, interrupts and memory, and its searches: for each promise a test in
 * which the machine does the thing, and one in which it does not do what it must not. The file is
 * compiled with the hooks, as the library is; what the threads share is in `simdata`.
 *
 * A statement about all runs is tried in RUNS of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem.h"
#include "sim.h"
#include "trace.h"

#define RUNS 4000

/* ---- what the machine's other parts would do --------------------------------------------------*/

void tlb_pte_stored(unsigned pte)
{
	(void)pte;
}

void tlb_snapshot(void)
{
}

void tlb_reset(void)
{
}

void sim_enter_user(void)
{
}

void sim_enter_interrupt(void)
{
}

void sim_user_again(void)
{
}

void sim_leave_user(void)
{
}

static void no_switch(void *space)
{
	(void)space;
}

/* ---- programs ---------------------------------------------------------------------------------*/

static struct {
	uint64_t x, y, go, lock, plain;
	uint64_t r[8]; /* what was read: each is one thread's */
	uint64_t handled, at;
} m __attribute__((section("simdata")));

#define ST(p, v)     __atomic_store_n(p, (uint64_t)(v), __ATOMIC_RELAXED)
#define LD(p)        __atomic_load_n(p, __ATOMIC_RELAXED)
#define ST_REL(p, v) __atomic_store_n(p, (uint64_t)(v), __ATOMIC_RELEASE)
#define LD_ACQ(p)    __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define ADD(p)       __atomic_fetch_add(p, (uint64_t)1, __ATOMIC_RELAXED)
#define FENCE()      __atomic_thread_fence(__ATOMIC_SEQ_CST)

typedef void body(void *);

static void nothing(void *unused)
{
	(void)unused;
}

static void begin(enum sim_model model, uint32_t cpus)
{
	sim_cur = 0;
	sim_model = model;
	sim_event_limit = 20000;
	memset(&m, 0, sizeof(m));
	mem_start();
	mem_forget_ptes();
	trace_forget_names();
	sim_cpus_begin(cpus);
	sim_context_switch = no_switch;
	sim_interrupt_handler = 0;
}

static void on_cpu(uint32_t cpu, body *function)
{
	sim_thread("thread", cpu, (uint64_t)1 << cpu, 0, function, 0);
}

static void two(enum sim_model model, body *first, body *second)
{
	begin(model, 2);
	on_cpu(0, first);
	on_cpu(1, second);
	sim_snapshot();
}

static void one_run(void)
{
	sim_reset();
	sim_run();
	sim_cur = 0;
}

/* In how many random runs the outcome was seen; runs that end with a violation are none of them. */
static unsigned count(int (*seen)(void))
{
	struct sim_search search = {.strategy = SIM_RANDOM, .seed = 1};
	unsigned n = 0;

	for (search.run = 0; search.run < RUNS; search.run++) {
		sim_search_begin(&search);
		one_run();
		n += !sim_result.violation && seen();
	}
	return n;
}

static const char *wanted;

static int reported(void)
{
	return sim_result.violation && !strcmp(sim_result.violation, wanted);
}

static unsigned count_violations(const char *name)
{
	struct sim_search search = {.strategy = SIM_RANDOM, .seed = 1};
	unsigned n = 0;

	wanted = name;
	for (search.run = 0; search.run < RUNS; search.run++) {
		sim_search_begin(&search);
		one_run();
		n += (unsigned)reported();
		if (sim_result.violation && !reported())
			fail_msg("%s: %s", sim_result.violation, sim_result.text);
	}
	return n;
}

#define is_seen(outcome)         assert_in_range(count(outcome), 1, RUNS)
#define is_never_seen(outcome)   assert_int_equal(count(outcome), 0)
#define is_always_seen(outcome)  assert_int_equal(count(outcome), RUNS)
#define is_reported(name)        assert_in_range(count_violations(name), 1, RUNS)
#define is_always_reported(name) assert_int_equal(count_violations(name), RUNS)
#define is_never_reported(name)  assert_int_equal(count_violations(name), 0)

/* ---- store buffers ----------------------------------------------------------------------------*/

static void (*between)(void);

static void no_barrier(void)
{
}

static void full_fence(void)
{
	FENCE();
}

static void locked_operation(void)
{
	ADD(&m.go);
}

static void serialise(void)
{
	sim_point();
	mem_barrier(MEM_SERIALISE);
}

static void wait_once(void)
{
	sim_relax();
}

static void store_x_load_y(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	between();
	m.r[0] = LD(&m.y);
}

static void store_y_load_x(void *unused)
{
	(void)unused;
	ST(&m.y, 1);
	between();
	m.r[1] = LD(&m.x);
}

static int both_old(void)
{
	return m.r[0] == 0 && m.r[1] == 0;
}

static void a_store_waits_in_its_buffer(void **state)
{
	(void)state;
	between = no_barrier;
	two(SIM_TSO, store_x_load_y, store_y_load_x);
	is_seen(both_old);
	two(SIM_SC, store_x_load_y, store_y_load_x);
	is_never_seen(both_old);
}

static void fences_and_locked_and_serialising_operations_drain(void **state)
{
	static void (*const drains[])(void) = {full_fence, locked_operation, serialise};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		between = drains[i];
		two(SIM_TSO, store_x_load_y, store_y_load_x);
		is_never_seen(both_old);
	}
}

static void waiting_does_not_drain(void **state)
{
	(void)state;
	between = wait_once;
	two(SIM_TSO, store_x_load_y, store_y_load_x);
	is_seen(both_old);
}

/* Nothing drains without a point just before it: here the other CPU may run, the store still hidden. */
static void store_and_fence(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	ST(&m.go, 1);
	serialise();
}

static void look_twice(void *unused)
{
	(void)unused;
	m.r[0] = sim_cur->number;
	m.r[1] = mem_buffered(0);
	m.r[2] = LD(&m.x);
}

static int buffered_and_unseen(void)
{
	return m.r[1] == 2 && m.r[2] == 0;
}

static void a_point_comes_before_a_drain(void **state)
{
	(void)state;
	two(SIM_TSO, store_and_fence, look_twice);
	is_seen(buffered_and_unseen);
}

static void store_and_load_own(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	m.r[0] = LD(&m.x);
	m.r[1] = mem_buffered(0);
	ST(&m.x, 2);
	m.r[2] = LD(&m.x);
}

static int forwarded(void)
{
	return m.r[0] == 1 && m.r[1] == 1 && m.r[2] == 2;
}

static int own_store_missed(void)
{
	return m.r[0] != 1 || m.r[2] != 2;
}

static void a_load_finds_its_own_store(void **state)
{
	(void)state;
	two(SIM_TSO, store_and_load_own, nothing);
	is_seen(forwarded);
	is_never_seen(own_store_missed);
	two(SIM_WEAK, store_and_load_own, nothing);
	is_never_seen(own_store_missed);
}

static void store_x_then_y(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	ST(&m.y, 1);
}

static void load_y_then_x(void *unused)
{
	(void)unused;
	m.r[0] = LD(&m.y);
	m.r[1] = LD(&m.x);
}

static int second_without_first(void)
{
	return m.r[0] == 1 && m.r[1] == 0;
}

static void buffers_are_first_in_first_out(void **state)
{
	(void)state;
	two(SIM_TSO, store_x_then_y, load_y_then_x);
	is_never_seen(second_without_first);
	two(SIM_WEAK, store_x_then_y, load_y_then_x);
	is_seen(second_without_first);
}

static int both_arrived(void)
{
	return m.x == 1 && m.y == 1;
}

static void what_is_buffered_is_in_memory_in_the_end(void **state)
{
	(void)state;
	between = no_barrier;
	two(SIM_TSO, store_x_load_y, store_y_load_x);
	is_always_seen(both_arrived);
}

/* ---- old stores -------------------------------------------------------------------------------*/

static void store_in_turn(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	ST(&m.x, 2);
	ST(&m.x, 3);
}

static int older_than_memory(void)
{
	return m.r[0] < m.r[2];
}

static int backwards(void)
{
	return m.r[1] < m.r[0];
}

/* What is in memory: not an access of the machine. */
__attribute__((noinline, no_sanitize_thread)) static uint64_t memory(const uint64_t *p)
{
	return *p;
}

static void load_in_turn(void *unused)
{
	(void)unused;
	m.r[0] = LD(&m.x);
	m.r[2] = memory(&m.x);
	m.r[1] = LD(&m.x);
}

static void a_load_may_return_an_old_store(void **state)
{
	(void)state;
	two(SIM_WEAK, store_in_turn, load_in_turn);
	is_seen(older_than_memory);
	is_never_seen(backwards);
	two(SIM_SC, store_in_turn, load_in_turn);
	is_never_seen(older_than_memory);
}

static void store_go(void *unused)
{
	(void)unused;
	ST(&m.go, 1);
}

/* No fence, and no word that it waits. */
static void spin_for_go(void *unused)
{
	(void)unused;
	while (!LD(&m.go))
		m.r[0] += memory(&m.go);
}

#define OLD_READS_MOST 12 /* mem.c's bound */

static int read_old_often(void)
{
	return m.r[0] == OLD_READS_MOST;
}

static int read_old_too_often(void)
{
	return m.r[0] > OLD_READS_MOST;
}

static void a_store_reaches_every_cpu_in_the_end(void **state)
{
	static const enum sim_model models[] = {SIM_WEAK, SIM_WEAK_C11};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		two(models[i], store_go, spin_for_go);
		is_seen(read_old_often);
		is_never_seen(read_old_too_often);
		is_never_reported("endless-wait");
	}
}

static void store_x(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
}

static void store_y(void *unused)
{
	(void)unused;
	ST(&m.y, 1);
}

static void acquire_x_then_y(void *unused)
{
	(void)unused;
	m.r[0] = LD_ACQ(&m.x);
	m.r[1] = LD_ACQ(&m.y);
}

static void acquire_y_then_x(void *unused)
{
	(void)unused;
	m.r[2] = LD_ACQ(&m.y);
	m.r[3] = LD_ACQ(&m.x);
}

static int orders_differ(void)
{
	return m.r[0] == 1 && m.r[1] == 0 && m.r[2] == 1 && m.r[3] == 0;
}

static void four(enum sim_model model)
{
	begin(model, 4);
	on_cpu(0, store_x);
	on_cpu(1, store_y);
	on_cpu(2, acquire_x_then_y);
	on_cpu(3, acquire_y_then_x);
	sim_snapshot();
}

static void what_a_second_cpu_has_read_is_visible_to_all(void **state)
{
	(void)state;
	four(SIM_WEAK);
	is_never_seen(orders_differ);
	four(SIM_WEAK_C11); /* without that rule */
	is_seen(orders_differ);
}

/* ---- races ------------------------------------------------------------------------------------*/

static void write_plain(void *unused)
{
	(void)unused;
	m.plain = 1;
	ST_REL(&m.go, 1);
}

static void read_plain(void *unused)
{
	(void)unused;
	m.r[0] = m.plain;
	ST(&m.y, 1);
}

static void read_plain_after_acquire(void *unused)
{
	(void)unused;
	if (LD_ACQ(&m.go))
		m.r[0] = m.plain;
}

static void read_plain_after_relaxed(void *unused)
{
	(void)unused;
	if (LD(&m.go))
		m.r[0] = m.plain;
}

static void read_plain_after_fences(void *unused)
{
	(void)unused;
	FENCE();
	m.r[0] = m.plain;
}

static void write_plain_and_fence(void *unused)
{
	(void)unused;
	m.plain = 1;
	FENCE();
}

static void write_atomic(void *unused)
{
	(void)unused;
	ST(&m.plain, 1);
}

static int read_it(void)
{
	return m.r[0] == 1;
}

static void unordered_plain_accesses_are_reported(void **state)
{
	(void)state;
	for (unsigned model = 0; model < SIM_MODELS; model++) {
		two((enum sim_model)model, write_plain, read_plain);
		is_always_reported("data-race");
		two((enum sim_model)model, write_plain, read_plain_after_relaxed);
		is_reported("data-race");
		two((enum sim_model)model, write_atomic, read_plain);
		is_always_reported("data-race");
		/* Fences that nothing has read across are no synchronisation, whatever their order. */
		two((enum sim_model)model, write_plain_and_fence, read_plain_after_fences);
		is_always_reported("data-race");
	}
}

static void ordered_plain_accesses_are_not(void **state)
{
	(void)state;
	for (unsigned model = 0; model < SIM_MODELS; model++) {
		two((enum sim_model)model, write_plain, read_plain_after_acquire);
		is_never_reported("data-race");
		is_seen(read_it);
	}
}

/* ---- interrupts -------------------------------------------------------------------------------*/

static void note_interrupt(void)
{
	m.handled++;
	m.at = m.r[0];
	m.r[7] = LD(&m.x);
}

/* Steps of its CPU, so that one can tell when it was interrupted. */
static void count_steps(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 30; i++) {
		uint64_t saved = sim_irq_save();

		m.r[0] = i;
		sim_irq_restore(saved);
	}
}

static void send_to_itself(void *unused)
{
	uint64_t saved = sim_irq_save();

	sim_send_ipi(1);
	sim_irq_restore(saved);
	count_steps(unused);
}

static void masked_steps(void *unused)
{
	uint64_t saved = sim_irq_save(), before = m.handled;

	(void)unused;
	for (unsigned i = 0; i < 30; i++)
		sim_point();
	m.r[1] = m.handled - before;
	sim_irq_restore(saved);
}

static void send(void *unused)
{
	(void)unused;
	sim_send_ipi(1);
}

static void send_twice(void *unused)
{
	(void)unused;
	sim_send_ipi(1);
	sim_send_ipi(1);
}

static void with_interrupts(enum sim_model model, body *sender, body *receiver)
{
	begin(model, 2);
	sim_interrupt_handler = note_interrupt;
	on_cpu(0, sender);
	on_cpu(1, receiver);
	sim_snapshot();
}

static int came_early(void)
{
	return m.handled && m.at < 3;
}

static int came_late(void)
{
	return m.handled && m.at > 20;
}

static int came_once(void)
{
	return m.handled == 1;
}

static int came_twice(void)
{
	return m.handled == 2;
}

static int came_while_masked(void)
{
	return m.r[1] != 0;
}

static int came(void)
{
	return m.handled != 0;
}

static void an_interrupt_comes_at_any_later_instant(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, nothing, send_to_itself);
	is_seen(came_early);
	is_seen(came_late);
	with_interrupts(SIM_SC, nothing, count_steps);
	is_never_seen(came);
}

/* Both are sent while it is masked. */
static void mask_until_both_are_sent(void *unused)
{
	(void)unused;
	sim_irq_save();
	ST(&m.go, 1);
	while (!LD(&m.y))
		sim_relax();
	sim_irq_restore(0);
	count_steps(unused);
}

static void send_twice_when_masked(void *unused)
{
	(void)unused;
	while (!LD(&m.go))
		sim_relax();
	sim_send_ipi(1);
	sim_send_ipi(1);
	ST(&m.y, 1);
}

static void interrupts_are_merged(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, send_twice_when_masked, mask_until_both_are_sent);
	is_seen(came_once);
	is_never_seen(came_twice);
	with_interrupts(SIM_SC, send_twice, count_steps); /* not masked: perhaps one by one */
	is_seen(came_once);
	is_seen(came_twice);
}

static void masked_interrupts_wait(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, send, masked_steps);
	is_never_seen(came_while_masked);
	is_seen(came);
}

static void wait_for_handler(void *unused)
{
	(void)unused;
	while (!LD(&m.y))
		sim_relax();
}

static void set_y(void)
{
	m.handled++;
	ST(&m.y, 1);
}

static void an_interrupt_is_not_lost(void **state)
{
	(void)state;
	with_interrupts(SIM_WEAK, send, wait_for_handler);
	sim_interrupt_handler = set_y;
	is_always_seen(came);
}

static void store_x_and_send(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	sim_send_ipi(1);
}

static void store_x_fence_and_send(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	FENCE();
	sim_send_ipi(1);
}

static int handler_saw_nothing(void)
{
	return m.handled && m.r[7] == 0;
}

static void an_interrupt_orders_nothing(void **state)
{
	(void)state;
	with_interrupts(SIM_TSO, store_x_and_send, count_steps);
	is_seen(handler_saw_nothing);
	with_interrupts(SIM_WEAK, store_x_and_send, count_steps);
	is_seen(handler_saw_nothing);
	with_interrupts(SIM_SC, store_x_and_send, count_steps);
	is_never_seen(handler_saw_nothing);
	with_interrupts(SIM_TSO, store_x_fence_and_send, count_steps);
	is_never_seen(handler_saw_nothing);
	/* weak: the handler needs an order of its own, too */
	with_interrupts(SIM_WEAK, store_x_fence_and_send, count_steps);
	is_seen(handler_saw_nothing);
}

static void write_in_handler(void)
{
	m.plain = 1;
}

static void read_open(void *unused)
{
	(void)unused;
	m.r[0] = m.plain;
	sim_point();
	sim_point();
	m.r[1] = m.plain;
}

static void read_masked(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t saved = sim_irq_save();

		m.r[0] = m.plain;
		sim_irq_restore(saved);
	}
}

static void a_handler_races_with_what_it_interrupts(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, send, read_open);
	sim_interrupt_handler = write_in_handler;
	is_reported("interrupt-race");
	with_interrupts(SIM_SC, send, read_masked);
	sim_interrupt_handler = write_in_handler;
	is_never_reported("interrupt-race");
}

static void no_interrupt_to_a_cpu_that_is_not_there(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, send, nothing);
	sim_cpus[1].absent = 1;
	sim_snapshot();
	is_always_reported("absent-cpu");
}

/* ---- waits ------------------------------------------------------------------------------------*/

static void wait_for_go(void *unused)
{
	(void)unused;
	while (!LD(&m.go))
		sim_relax();
}

static void wait_masked(void *unused)
{
	(void)unused;
	sim_irq_save();
	ST(&m.go, 1);
	while (!LD(&m.y))
		sim_relax();
}

static void a_wait_that_never_ends_is_reported(void **state)
{
	(void)state;
	for (unsigned model = 0; model < SIM_MODELS; model++) {
		two((enum sim_model)model, nothing, wait_for_go);
		is_always_reported("endless-wait");
		two((enum sim_model)model, store_go, wait_for_go);
		is_never_reported("endless-wait");
	}
}

static void send_when_masked(void *unused)
{
	wait_for_go(unused);
	sim_send_ipi(1);
}

static void waiting_masked_for_an_interrupt_is_reported(void **state)
{
	(void)state;
	with_interrupts(SIM_SC, send_when_masked, wait_masked);
	sim_interrupt_handler = set_y;
	is_always_reported("endless-wait");
}

static void two_violations(void *unused)
{
	(void)unused;
	sim_violation("first", "%d", 1);
	sim_violation("second", "%d", 2);
}

static void a_violation_ends_the_run(void **state)
{
	(void)state;
	two(SIM_SC, two_violations, nothing);
	is_always_reported("first");
}

/* ---- threads ----------------------------------------------------------------------------------*/

static void three_steps_a(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 3; i++)
		m.r[0] = ADD(&m.x);
}

static void three_steps_b(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 3; i++)
		m.r[1] = ADD(&m.x);
}

static void three_steps_b_masked(void *unused)
{
	uint64_t saved = sim_irq_save();

	m.r[2] = LD(&m.x);
	three_steps_b(unused);
	m.r[3] = LD(&m.x);
	sim_irq_restore(saved);
}

static int interleaved(void)
{
	return m.r[0] < 5 && m.r[0] > 2 && m.r[1] == 5;
}

static int in_the_middle(void)
{
	return m.r[3] != m.r[2] + 3;
}

static void two_on_one_cpu(body *a, body *b, int preemption)
{
	begin(SIM_SC, 1);
	sim_preemption = preemption;
	on_cpu(0, a);
	on_cpu(0, b);
	sim_snapshot();
}

static void threads_are_preempted(void **state)
{
	(void)state;
	two_on_one_cpu(three_steps_a, three_steps_b, 1);
	is_seen(interleaved);
	two_on_one_cpu(three_steps_a, three_steps_b, 0);
	is_never_seen(interleaved);
	two_on_one_cpu(three_steps_a, three_steps_b_masked, 1);
	is_never_seen(in_the_middle);
}

/* Its own stores, and its plain ones, go with a thread to another CPU. */
static void wanderer(void *unused)
{
	(void)unused;
	m.r[0] = sim_cur->number;
	ST(&m.x, 1);
	m.plain = 1;
	sim_point();
	sim_point();
	m.r[1] = sim_cur->number;
	m.r[2] = LD(&m.x);
	m.r[3] = m.plain;
}

static int moved(void)
{
	return m.r[0] != m.r[1];
}

static int forgot(void)
{
	return m.r[2] != 1 || m.r[3] != 1;
}

static void wander(enum sim_model model, uint64_t affinity)
{
	begin(model, 2);
	sim_preemption = 1;
	sim_thread("wanderer", 0, affinity, 0, wanderer, 0);
	sim_snapshot();
}

static void threads_move_and_take_along_what_they_know(void **state)
{
	(void)state;
	for (unsigned model = 0; model < SIM_MODELS; model++) {
		wander((enum sim_model)model, 3);
		is_seen(moved);
		is_never_seen(forgot);
		is_never_reported("data-race");
		wander((enum sim_model)model, 1);
		is_never_seen(moved);
	}
}

static struct sim_thread *sleeper;

static void sleep_then_load(void *unused)
{
	(void)unused;
	sim_sleep();
	m.r[0] = LD(&m.x);
	m.r[1] = m.plain;
	m.r[2] = 1;
}

static void store_then_wake(void *unused)
{
	(void)unused;
	ST(&m.x, 1);
	m.plain = 1;
	sim_wake(sleeper);
}

static int woke(void)
{
	return m.r[0] == 1 && m.r[1] == 1 && m.r[2] == 1;
}

static void a_woken_thread_knows_what_its_waker_knew(void **state)
{
	(void)state;
	for (unsigned model = 0; model < SIM_MODELS; model++) {
		begin((enum sim_model)model, 2);
		sleeper = sim_thread("sleeper", 0, 1, 0, sleep_then_load, 0);
		on_cpu(1, store_then_wake);
		sim_snapshot();
		is_always_seen(woke);
		is_never_reported("data-race");
	}
	two(SIM_SC, sleep_then_load, nothing);
	is_always_reported("endless-wait"); /* nobody wakes it */
}

/* ---- searches ---------------------------------------------------------------------------------*/

#define MANY 300

static void hashes(struct sim_search search, uint64_t hash[MANY])
{
	for (search.run = 0; search.run < MANY; search.run++) {
		sim_search_begin(&search);
		one_run();
		hash[search.run] = sim_hash;
	}
}

static void a_seed_is_a_run(void **state)
{
	static const enum sim_strategy strategies[] = {SIM_RANDOM, SIM_PCT};
	static uint64_t first[MANY], again[MANY], other[MANY];

	(void)state;
	between = no_barrier;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned model = 0; model < SIM_MODELS; model++) {
			two((enum sim_model)model, store_x_load_y, store_y_load_x);
			hashes((struct sim_search){.strategy = strategies[i], .seed = 5}, first);
			hashes((struct sim_search){.strategy = strategies[i], .seed = 5}, again);
			hashes((struct sim_search){.strategy = strategies[i], .seed = 6}, other);
			assert_memory_equal(first, again, sizeof(first));
			assert_memory_not_equal(first, other, sizeof(first));
		}
	}
}

static uint64_t exhaust(unsigned preemptions, unsigned oddities, int (*seen)(void), unsigned *times)
{
	struct sim_search search = {
		.strategy = SIM_EXHAUSTIVE, .preemptions = preemptions, .oddities = oddities};
	uint64_t runs = 0;

	*times = 0;
	sim_search_restart();
	while (sim_search_begin(&search)) {
		one_run();
		assert_null(sim_result.violation);
		*times += (unsigned)seen();
		runs++;
	}
	return runs;
}

static int anything(void)
{
	return 1;
}

static void plain_and_store_x(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 5; i++)
		m.r[0] += i;
	ST(&m.x, 1);
	for (unsigned i = 0; i < 5; i++)
		m.r[0] += i;
}

/*
 * Two CPUs, one store each. A thread has two points: S before its store, and E at its end, if the other
 * has not come to its end. g(a, b): runs from where one thread goes on and the other is paused, each before
 * S (2), after S (1) or after E (0). At a point it goes on or the other does:
 *
 *   g(0, b) = g(1, 0) = 1       nobody is left to choose; the run is over
 *   g(2, 0) = g(1, 0) + 1 = 2
 *   g(1, 1) = g(0, 1) + g(1, 0) = 2      g(1, 2) = g(0, 2) + g(2, 0) = 3
 *   g(2, 1) = g(1, 1) + g(1, 1) = 4      g(2, 2) = g(1, 2) + g(2, 1) = 7
 *
 * and either may begin: 14.
 * At most one deviation: none, or at one of three places: who begins, the first's store, its end.
 */
static void an_exhaustive_search_makes_every_run_once(void **state)
{
	unsigned times;

	(void)state;
	two(SIM_SC, store_x, store_y);
	assert_int_equal(exhaust(10, 10, anything, &times), 14);
	assert_int_equal(exhaust(1, 0, anything, &times), 4);
	assert_int_equal(exhaust(1, 3, anything, &times), 4); /* bounds are of their kinds */
	assert_int_equal(exhaust(0, 0, anything, &times), 1);
	two(SIM_SC, plain_and_store_x, store_y); /* plain accesses are no points */
	assert_int_equal(exhaust(10, 10, anything, &times), 14);
}

static void an_exhaustive_search_finds_what_its_bound_allows(void **state)
{
	unsigned times;

	(void)state;
	between = no_barrier;
	two(SIM_TSO, store_x_load_y, store_y_load_x);
	exhaust(0, 0, both_old, &times);
	assert_in_range(times, 1, 1000); /* stores stay buffered by themselves */
	between = full_fence;
	two(SIM_TSO, store_x_load_y, store_y_load_x);
	exhaust(6, 6, both_old, &times);
	assert_int_equal(times, 0);
}

static void a_tape_replays_its_run(void **state)
{
	struct sim_search search = {.strategy = SIM_EXHAUSTIVE, .preemptions = 2, .oddities = 2};
	static struct {
		char tape[200];
		uint64_t hash;
	} runs[MANY];
	unsigned n = 0, distinct = 0;

	(void)state;
	between = no_barrier;
	two(SIM_WEAK, store_x_load_y, store_y_load_x);
	sim_search_restart();
	for (; n < MANY && sim_search_begin(&search); n++) {
		one_run();
		strncpy(runs[n].tape, sim_search_tape(), sizeof(runs[n].tape) - 1);
		runs[n].hash = sim_hash;
		distinct += n && runs[n].hash != runs[n - 1].hash;
	}
	assert_in_range(n, 20, MANY);
	assert_in_range(distinct, n / 2, n);
	for (unsigned i = 0; i < n; i++) {
		search = (struct sim_search){.strategy = SIM_REPLAY_TAPE, .tape = runs[i].tape};
		sim_search_begin(&search);
		one_run();
		assert_int_equal(sim_hash, runs[i].hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_waits_in_its_buffer),
		cmocka_unit_test(fences_and_locked_and_serialising_operations_drain),
		cmocka_unit_test(waiting_does_not_drain),
		cmocka_unit_test(a_point_comes_before_a_drain),
		cmocka_unit_test(a_load_finds_its_own_store),
		cmocka_unit_test(buffers_are_first_in_first_out),
		cmocka_unit_test(what_is_buffered_is_in_memory_in_the_end),
		cmocka_unit_test(a_load_may_return_an_old_store),
		cmocka_unit_test(a_store_reaches_every_cpu_in_the_end),
		cmocka_unit_test(what_a_second_cpu_has_read_is_visible_to_all),
		cmocka_unit_test(unordered_plain_accesses_are_reported),
		cmocka_unit_test(ordered_plain_accesses_are_not),
		cmocka_unit_test(an_interrupt_comes_at_any_later_instant),
		cmocka_unit_test(interrupts_are_merged),
		cmocka_unit_test(masked_interrupts_wait),
		cmocka_unit_test(an_interrupt_is_not_lost),
		cmocka_unit_test(an_interrupt_orders_nothing),
		cmocka_unit_test(a_handler_races_with_what_it_interrupts),
		cmocka_unit_test(no_interrupt_to_a_cpu_that_is_not_there),
		cmocka_unit_test(a_wait_that_never_ends_is_reported),
		cmocka_unit_test(waiting_masked_for_an_interrupt_is_reported),
		cmocka_unit_test(a_violation_ends_the_run),
		cmocka_unit_test(threads_are_preempted),
		cmocka_unit_test(threads_move_and_take_along_what_they_know),
		cmocka_unit_test(a_woken_thread_knows_what_its_waker_knew),
		cmocka_unit_test(a_seed_is_a_run),
		cmocka_unit_test(an_exhaustive_search_makes_every_run_once),
		cmocka_unit_test(an_exhaustive_search_finds_what_its_bound_allows),
		cmocka_unit_test(a_tape_replays_its_run),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
