/* SPDX-License-Identifier: MIT */
/*
 * Who goes on: CPUs, threads, interrupts.
 *
 * One CPU executes at a time: sim_cur. At a point another may go on instead, and then an interrupt may
 * arrive, or the thread may be taken off its CPU. Threads are coroutines with a stack of their own.
 * An interrupt's handler is a call on the stack of the thread that it interrupts; to take a thread
 * off its CPU is an interrupt, too, which ends when the thread runs again, perhaps on another CPU. So
 * sim_cur is read anew after whatever may be a point.
 *
 * A CPU that waits says so (sim_relax), and is passed over until something has changed: a store, an
 * interrupt, a thread that went to sleep or woke. If all wait, nothing changes any more: the wait
 * would never end. An idle CPU waits, too, but for work, which need not come.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "sim.h"

#define STACK      (64 * 1024)
#define THREADS    SIM_THREADS /* the idle ones first */
#define QUIET_MANY 20 /* so often a CPU may find nothing before it counts as waiting: old stores */

struct sim_thread {
	const char *name;
	void *stack_pointer;
	void (*function)(void *);
	void *argument;
	void *space;
	uint64_t affinity[2];
	uint32_t cpu;
	uint32_t wakes; /* that came before their sleep */
	uint32_t waker; /* a CPU + 1 */
	uint64_t since;
	enum {
		READY,
		RUNNING,
		SLEEPING,
		DONE
	} state;
};

static struct sim_thread threads[THREADS];
static unsigned thread_count;
static char stacks[THREADS][STACK] __attribute__((aligned(64)));
static void *main_stack;
static unsigned unfinished;

struct sim_cpu sim_cpus[SIM_CPUS];
uint32_t sim_cpu_count = 1;
struct sim_cpu *sim_cur, *sim_setup_cpu;
int sim_preemption;
jmp_buf *sim_setup_violated;
void (*sim_context_switch)(void *space);
void (*sim_interrupt_handler)(void);
struct sim_result sim_result;
uint64_t sim_event_limit = 20000;
uint64_t sim_hash;

static uint64_t changes, turn;

static struct {
	struct sim_cpu cpus[SIM_CPUS];
	struct sim_thread threads[THREADS];
	char *data;
} start;

/* ---- coroutines -------------------------------------------------------------------------------*/

void sim_co_switch(void **save, void *to);

#if defined(__x86_64__)
__asm__(".text\n.globl sim_co_switch\nsim_co_switch:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");
#define SAVED 6

static void *first_frame(char *top, void (*entry)(void))
{
	void **sp = (void **)(void *)top;

	*--sp = 0; /* a return address that nobody uses: alignment as at a function's entry */
	*--sp = (void *)entry;
	for (int i = 0; i < SAVED; i++)
		*--sp = 0;
	return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n.globl sim_co_switch\nsim_co_switch:\n"
        "sub sp, sp, #160\n"
        "stp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\n"
        "stp x25, x26, [sp, #48]\nstp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\n"
        "mov x2, sp\nstr x2, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\n"
        "ldp x25, x26, [sp, #48]\nldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n");

static void *first_frame(char *top, void (*entry)(void))
{
	void **sp = (void **)(void *)(top - 160);

	memset(sp, 0, 160);
	sp[11] = (void *)entry;
	return sp;
}
#else
#error "the simulator runs on x86-64 and arm64 hosts"
#endif

static void leave_run(void)
{
	struct sim_thread *t = sim_cur->thread;

	sim_cur = 0;
	sim_co_switch(&t->stack_pointer, main_stack);
	abort();
}

void sim_violation(const char *name, const char *format, ...)
{
	va_list arguments;

	if (!sim_result.violation) {
		sim_result.violation = name;
		va_start(arguments, format);
		vsnprintf(sim_result.text, sizeof(sim_result.text), format, arguments);
		va_end(arguments);
		TRACE("VIOLATION %s: %s", name, sim_result.text);
	}
	if (!sim_cur && sim_setup_violated)
		longjmp(*sim_setup_violated, 1);
	if (!sim_cur) {
		fprintf(stderr, "ktlb-check: set-up failed: %s: %s\n", name, sim_result.text);
		exit(3);
	}
	leave_run();
}

/* ---- who could go on --------------------------------------------------------------------------*/

static int may_run_on(const struct sim_thread *t, uint32_t cpu)
{
	return (int)(t->affinity[cpu / 64] >> cpu % 64 & 1);
}

static struct sim_thread *ready_for(uint32_t cpu, const struct sim_thread *but)
{
	struct sim_thread *found[THREADS];
	unsigned n = 0;

	for (unsigned i = SIM_CPUS; i < thread_count; i++) {
		struct sim_thread *t = &threads[i];

		if (t->state == READY && t != but && may_run_on(t, cpu)) {
			unsigned at = n++;

			for (; at > 0 && found[at - 1]->since > t->since; at--)
				found[at] = found[at - 1];
			found[at] = t;
		}
	}
	return n ? found[sim_choose(SIM_CHOOSE_THREAD, n)] : 0;
}

static int has_ready(uint32_t cpu)
{
	for (unsigned i = SIM_CPUS; i < thread_count; i++)
		if (threads[i].state == READY && may_run_on(&threads[i], cpu))
			return 1;
	return 0;
}

static unsigned ready_count;

static int is_busy(const struct sim_cpu *c)
{
	if (c->quiet > QUIET_MANY && c->quiet_at == changes)
		return 0;
	return c->thread != c->idle || (c->irqs_off && !c->absent) || (c->ipi && !c->irqs_off) ||
	       (ready_count && has_ready(c->number));
}

static void go_to(uint32_t cpu)
{
	struct sim_thread *from = sim_cur->thread, *to = sim_cpus[cpu].thread;

	if (cpu == sim_cur->number)
		return;
	sim_cur = &sim_cpus[cpu];
	sim_hash_add(cpu);
	sim_co_switch(&from->stack_pointer, to->stack_pointer);
}

static void deliver_interrupt(void)
{
	struct sim_cpu *c = sim_cur;
	int user = c->user;

	if (!c->ipi || c->irqs_off)
		return;
	if (c->hold) {
		c->hold--;
		return;
	}
	if (sim_choose(SIM_CHOOSE_INTERRUPT, 2)) {
		c->hold = sim_hold();
		return;
	}
	c->ipi = 0;
	c->user = 0;
	c->irqs_off = 1;
	c->in_handler = 1;
	sim_progress();
	TRACE("interrupt {");
	sim_enter_interrupt();
	sim_interrupt_handler();
	TRACE("} interrupt");
	c->in_handler = 0;
	sim_enter_user();
	c->irqs_off = 0;
	c->user = user;
	if (user)
		sim_user_again();
}

static void switch_thread(struct sim_thread *next)
{
	struct sim_cpu *c = sim_cur;
	struct sim_thread *previous = c->thread;

	if (next != c->idle && next->state == READY) {
		ready_count--;
		next->state = RUNNING;
	}
	sim_context_switch(next->space);
	if (previous->state == RUNNING && previous != c->idle && previous != next) {
		previous->state = READY;
		previous->since = ++turn;
		ready_count++;
	}
	mem_hand_over_begin((unsigned)(previous - threads));
	c->thread = next;
	if (next != c->idle) {
		if (next->cpu != c->number) {
			mem_hand_over_end((unsigned)(next - threads), next->cpu);
			TRACE("%s comes from cpu%u", next->name, next->cpu);
		} else {
			TRACE("%s", next->name);
		}
		next->cpu = c->number;
	}
	sim_progress();
	if (next != previous)
		sim_co_switch(&previous->stack_pointer, next->stack_pointer);
}

/* The timer: the thread goes off this CPU, and comes back here or elsewhere. */
static void preempt(void)
{
	struct sim_cpu *c = sim_cur;
	struct sim_thread *t = c->thread, *next;
	uint64_t others[2] = {t->affinity[0], t->affinity[1]};
	int user = c->user;

	if (c->irqs_off || t == c->idle)
		return;
	others[c->number / 64] &= ~((uint64_t)1 << c->number % 64);
	if (!ready_count && !(others[0] | others[1]))
		return;
	if (!sim_choose(SIM_CHOOSE_PREEMPT, 2))
		return;
	TRACE("timer: %s goes off {", t->name);
	c->user = 0;
	c->irqs_off = 1;
	sim_enter_interrupt();
	next = ready_for(c->number, 0);
	switch_thread(next ? next : c->idle);
	c = sim_cur;
	sim_enter_user();
	c->irqs_off = 0;
	c->user = user;
	TRACE("} %s goes on", t->name);
	if (user)
		sim_user_again();
}

/* ---- points -----------------------------------------------------------------------------------*/

static void count_event(void)
{
	if (++sim_result.events > sim_event_limit)
		sim_violation("limit", "a run of more than %llu events",
		              (unsigned long long)sim_event_limit);
}

static void maybe_drain(void)
{
	uint8_t full[SIM_CPUS];
	unsigned n = 0, choice;
	uint32_t me = sim_cur->number;

	if (sim_model != SIM_TSO)
		return;
	if (mem_buffered(me))
		full[n++] = (uint8_t)me;
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (cpu != me && mem_buffered(cpu))
			full[n++] = (uint8_t)cpu;
	choice = sim_choose(SIM_CHOOSE_DRAIN, n + 1);
	if (choice)
		mem_drain_one(full[choice - 1]);
}

static void maybe_go_elsewhere(void)
{
	uint8_t candidate[SIM_CPUS];
	unsigned n = 1;
	uint32_t me = sim_cur->number;

	candidate[0] = (uint8_t)me;
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (cpu != me && is_busy(&sim_cpus[cpu]))
			candidate[n++] = (uint8_t)cpu;
	if (n > 1)
		go_to(candidate[sim_choose_cpu(SIM_CHOOSE_CPU, candidate, n)]);
}

void sim_point(void)
{
	if (!sim_cur)
		return;
	count_event();
	maybe_drain();
	maybe_go_elsewhere();
	if (sim_cur->ipi)
		deliver_interrupt();
	if (sim_preemption)
		preempt();
}

void sim_progress(void)
{
	changes++;
}

/* Nobody can go on. Stores that wait and interrupts that were put off must come in the end. */
static int last_resort(void)
{
	int any = 0;

	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		struct sim_cpu *c = &sim_cpus[cpu];

		any |= mem_buffered(cpu) != 0;
		if (c->ipi && !c->irqs_off && !c->absent) {
			c->hold = 0;
			any = 1;
		}
	}
	mem_drain_all();
	any |= mem_settle();
	if (any)
		sim_progress();
	return any;
}

/* To the next CPU in turn, or another, or on with this one; only CPUs that could do something. */
static int wait_for_others(void)
{
	uint8_t candidate[SIM_CPUS];
	unsigned n = 0;
	uint32_t me = sim_cur->number;

	for (uint32_t i = 1; i <= sim_cpu_count; i++) {
		uint32_t cpu = (me + i) % sim_cpu_count;

		if (is_busy(&sim_cpus[cpu]))
			candidate[n++] = (uint8_t)cpu;
	}
	if (n)
		go_to(candidate[sim_choose_cpu(SIM_CHOOSE_RELAX, candidate, n)]);
	return n != 0;
}

static void mark_quiet(struct sim_cpu *c)
{
	if (c->quiet_at != changes) {
		c->quiet_at = changes;
		c->quiet = 0;
	}
	c->quiet += sim_model >= SIM_WEAK ? 1 : QUIET_MANY / 2;
}

static void hang(void)
{
	char who[200];
	size_t at = 0;

	for (uint32_t cpu = 0; cpu < sim_cpu_count && at < sizeof(who) - 60; cpu++)
		if (sim_cpus[cpu].thread != sim_cpus[cpu].idle)
			at += (size_t)snprintf(who + at, sizeof(who) - at, "%s%s on cpu%u%s",
			                       at ? ", " : "", sim_cpus[cpu].thread->name, cpu,
			                       sim_cpus[cpu].irqs_off ? ", interrupts off" : "");
	sim_violation("endless-wait", "nothing can change any more; waiting: %s",
	              at ? who : "threads asleep");
}

void sim_relax(void)
{
	if (!sim_cur)
		return;
	count_event();
	maybe_drain();
	mark_quiet(sim_cur);
	if (!wait_for_others() && !last_resort())
		hang();
	if (sim_cur->ipi)
		deliver_interrupt();
	if (sim_preemption)
		preempt();
}

void sim_send_ipi(uint32_t cpu)
{
	sim_point();
	TRACE("interrupts cpu%u", cpu);
	if (sim_cpus[cpu].absent)
		sim_violation("absent-cpu", "an interrupt to cpu%u, which is not there", cpu);
	sim_cpus[cpu].ipi = 1;
	sim_cpus[cpu].hold = 0;
	sim_progress();
}

uint64_t sim_irq_save(void)
{
	uint64_t saved;

	if (!sim_cur)
		return 1;
	sim_point();
	saved = (uint64_t)sim_cur->irqs_off;
	sim_cur->irqs_off = 1;
	return saved;
}

void sim_irq_restore(uint64_t saved)
{
	if (!sim_cur)
		return;
	sim_cur->irqs_off = (int)saved;
	if (!saved)
		sim_point();
}

/* ---- threads ----------------------------------------------------------------------------------*/

static void end_run(void)
{
	mem_drain_all();
	leave_run();
}

static void idle(void)
{
	for (;;) {
		struct sim_thread *next;

		count_event();
		sim_cur->irqs_off = sim_cur->absent;
		if (ready_count)
			maybe_go_elsewhere(); /* to a CPU that takes the thread first */
		if (sim_cur->ipi)
			deliver_interrupt();
		next = ready_count ? ready_for(sim_cur->number, 0) : 0;
		if (next) {
			sim_cur->irqs_off = 1;
			switch_thread(next);
			continue;
		}
		if (!wait_for_others() && !last_resort())
			hang();
	}
}

static void run_thread(void)
{
	struct sim_thread *t = sim_cur->thread;

	sim_cur->irqs_off = sim_cur->absent;
	if (t == sim_cur->idle)
		idle();
	t->function(t->argument);
	sim_leave_user();
	if (--unfinished == 0)
		end_run();
	sim_irq_save();
	TRACE("%s ends", t->name);
	t->state = DONE;
	switch_thread(sim_cur->idle);
	abort();
}

struct sim_thread *sim_thread(const char *name, uint32_t cpu, uint64_t affinity, void *space,
                              void (*function)(void *), void *argument)
{
	struct sim_cpu *c = &sim_cpus[cpu];
	struct sim_thread *t = &threads[thread_count++];

	if (thread_count > THREADS)
		sim_violation("limit", "more than %d threads", THREADS);
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->function = function;
	t->argument = argument;
	t->space = space;
	t->affinity[0] = affinity;
	if (cpu >= 64)
		t->affinity[1] = (uint64_t)1 << (cpu - 64);
	t->cpu = cpu;
	t->since = ++turn;
	if (c->thread == c->idle) {
		c->thread = t;
		t->state = RUNNING;
	} else {
		t->state = READY;
		ready_count++;
	}
	return t;
}

void sim_cpus_begin(uint32_t count)
{
	memset(sim_cpus, 0, sizeof(sim_cpus));
	memset(threads, 0, sizeof(threads));
	sim_cpu_count = count;
	thread_count = SIM_CPUS;
	ready_count = 0;
	sim_preemption = 0;
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		struct sim_cpu *c = &sim_cpus[cpu];

		c->number = cpu;
		c->irqs_off = 1;
		c->idle = &threads[cpu];
		c->idle->name = "idle";
		c->idle->cpu = cpu;
		c->idle->state = RUNNING;
		c->thread = c->idle;
	}
}

void *sim_thread_space(uint32_t cpu)
{
	return sim_cpus[cpu].thread->space;
}

void sim_thread_set_space(void *space)
{
	sim_cur->thread->space = space;
}

struct sim_thread *sim_thread_self(void)
{
	return sim_cur->thread;
}

static void give_away(void)
{
	struct sim_thread *next = ready_count ? ready_for(sim_cur->number, 0) : 0;

	switch_thread(next ? next : sim_cur->idle);
}

void sim_yield(void)
{
	uint64_t saved = sim_irq_save();

	give_away();
	sim_irq_restore(saved);
}

void sim_sleep(void)
{
	struct sim_thread *t = sim_cur->thread;
	uint64_t saved = sim_irq_save();

	if (t->wakes) {
		t->wakes = 0;
	} else {
		t->state = SLEEPING;
		TRACE("%s sleeps", t->name);
		give_away();
	}
	if (t->waker)
		mem_hand_over_end(THREADS + (unsigned)(t - threads), t->waker - 1);
	t->waker = 0;
	sim_irq_restore(saved);
}

/* What the waker has seen, the woken thread sees. */
void sim_wake(struct sim_thread *t)
{
	sim_point();
	mem_hand_over_begin(THREADS + (unsigned)(t - threads));
	t->waker = sim_cur->number + 1;
	if (t->state == SLEEPING) {
		t->state = READY;
		t->since = ++turn;
		ready_count++;
		sim_progress();
	} else {
		t->wakes = 1;
	}
}

/* ---- runs -------------------------------------------------------------------------------------*/

void sim_snapshot(void)
{
	size_t size = (size_t)(sim_data_end - sim_data_start);

	memcpy(start.cpus, sim_cpus, sizeof(sim_cpus));
	memcpy(start.threads, threads, sizeof(threads));
	free(start.data);
	start.data = malloc(size);
	if (!start.data)
		abort();
	memcpy(start.data, sim_data_start, size);
	tlb_snapshot();
}

void sim_reset(void)
{
	memcpy(sim_cpus, start.cpus, sizeof(sim_cpus));
	memcpy(threads, start.threads, sizeof(threads[0]) * thread_count);
	memcpy(sim_data_start, start.data, (size_t)(sim_data_end - sim_data_start));
	sim_hash = 0;
	changes = 1;
	ready_count = unfinished = 0;
	for (unsigned i = 0; i < thread_count; i++) {
		ready_count += i >= SIM_CPUS && threads[i].state == READY;
		unfinished += i >= SIM_CPUS;
		threads[i].stack_pointer = first_frame(stacks[i] + STACK, run_thread);
	}
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		sim_cpus[cpu].irqs_off = sim_cpus[cpu].absent;
	memset(&sim_result, 0, sizeof(sim_result));
	sim_cur = 0;
	mem_reset();
	tlb_reset();
}

void sim_run(void)
{
	uint8_t candidate[SIM_CPUS];
	unsigned n = 0;

	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (is_busy(&sim_cpus[cpu]))
			candidate[n++] = (uint8_t)cpu;
	if (!n)
		return;
	sim_cur = &sim_cpus[candidate[0]];
	sim_cur = &sim_cpus[candidate[sim_choose_cpu(SIM_CHOOSE_CPU, candidate, n)]];
	sim_co_switch(&main_stack, sim_cur->thread->stack_pointer);
}
