/* SPDX-License-Identifier: MIT */
/*
 * stress [SEED [SECONDS]]: the x86-64 half with real concurrency. A host thread is a CPU of the fake
 * machine, with a TLB of its own; all of them switch, go lazy, change entries and flush at once. When a
 * flush has returned, no CPU may use what was there before.
 *
 * The check is by versions. An entry's version is raised, then flushed, and when the flush returns that
 * version is promised. Who uses an entry reads the promise first: what it then sees must not be older.
 * The same of tables, after a flush that says that tables have gone, and of the kernel's half.
 *
 * An entry has one writer, its owner, as if under a lock; who may read it is everybody.
 *
 * The machine is as nasty as the manual allows, at random at each access of shared memory and each
 * privileged instruction:
 *   - the CPU fills its TLB from whatever root is loaded, lazily loaded ones included; a table that it
 *     walks through must not be one that a flush has ended
 *   - its stores wait, and leave one by one (fake_stores_wait)
 *   - its thread gives the host's CPU away
 * An interrupt is a flag that a CPU looks at between its steps and while it waits, if interrupts are on.
 * Then it may also run another step, as another thread would: the flush that waits is not the last.
 *
 * A round is one start of the machine, CPUs coming online while others flush; it takes ROUND_MS. Which
 * races a run meets is the host's scheduler's doing, so a seed does not repeat a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "unit.h"

#define CPUS          4
#define PAGES         8 /* of a space that are used: few, so that CPUs meet */
#define HANG_S        10
#define ROUND_MS      5
#define ROUND_MOST_MS 640
#define FIRST_STEPS   32 /* with the kernel's half alone, while others come online */
#define MAX_NESTING   2  /* steps of other threads while a flush waits */

static uint64_t seed = 1;
static double seconds = 2;

static _Thread_local uint64_t random_state;
static _Thread_local int nesting;
static int stop, finished;

/* What flushes have promised, by the number of a root. */
static uint64_t promised[FAKE_ROOTS][FAKE_PAGES], promised_table[FAKE_ROOTS];
static uint64_t promised_kernel[FAKE_KERNEL_PAGES];

static struct {
	uint64_t uses, flushes, nested;
} done;

/* The first thing that went wrong; a thread must not use cmocka. */
static char failure[200];
static int failed;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % limit;
}

static uint64_t get(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static uint64_t add(uint64_t *p, uint64_t n)
{
	return __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST);
}

static void promise(uint64_t *p, uint64_t version)
{
	uint64_t old = get(p);

	while (old < version && !__atomic_compare_exchange_n(p, &old, version, 0, __ATOMIC_SEQ_CST,
	                                                     __ATOMIC_SEQ_CST))
		;
}

static void must_not_be_older(const char *what, uint64_t number, uint64_t seen, uint64_t least)
{
	if (seen >= least || __atomic_exchange_n(&failed, 1, __ATOMIC_SEQ_CST))
		return;
	snprintf(failure, sizeof(failure), "CPU %u uses %s %llu of version %llu, promised was %llu",
	         fake_this_number(), what, (unsigned long long)number, (unsigned long long)seen,
	         (unsigned long long)least);
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
}

/* ---- what a CPU does by itself ----------------------------------------------------------------*/

static void use_table(void)
{
	uint64_t root = fake_root();
	uint64_t least = get(&promised_table[root]);

	must_not_be_older("the table of root", root, fake_walk(), least);
}

static int one_in(uint32_t n)
{
	return random_below(n) == 0;
}

/* Others get far meanwhile, so it is done where that hurts: while stores wait. */
static void give_way(uint32_t seldom, uint32_t often)
{
	if (one_in(fake_waiting() ? often : seldom))
		sched_yield();
}

static void between_accesses(enum fake_access access, const void *p)
{
	(void)access;
	(void)p;
	if (one_in(8))
		fake_drain(1);
	if (one_in(8))
		fake_touch(random_below(PAGES));
	if (one_in(16))
		fake_touch_kernel(random_below(FAKE_KERNEL_PAGES));
	if (one_in(32))
		use_table();
	give_way(128, 32);
}

static void before_instruction(enum fake_op op, uint64_t operand)
{
	(void)op;
	(void)operand;
	give_way(16, 4);
	if (one_in(4))
		use_table();
}

/* ---- steps of a thread ------------------------------------------------------------------------*/

static struct ktlb_space *any_space(void)
{
	return &space[random_below(2) ? random_below(3) : random_below(SPACES)];
}

/* A lazy CPU often returns to what it has kept. */
static struct ktlb_space *next_space(const struct ktlb_space *now)
{
	if (!now && fake_root() && one_in(2))
		return &space[fake_root() - 1];
	return any_space();
}

static uint64_t root_of(const struct ktlb_space *s)
{
	return (uint64_t)(s - space) + 1;
}

static void use(void)
{
	struct ktlb_space *now = runs[fake_this_number()];
	uint32_t page = random_below(FAKE_KERNEL_PAGES);
	uint64_t least = get(&promised_kernel[page]);

	must_not_be_older("kernel page", page, fake_touch_kernel(page), least);
	use_table();
	if (!now)
		return;
	page = random_below(PAGES);
	least = get(&promised[root_of(now)][page]);
	must_not_be_older("page", page, fake_touch(page), least);
	if (fake_root() != root_of(now))
		must_not_be_older("root", root_of(now), 0, 1);
}

/* The owner writes an entry. */
static uint64_t write_entry(uint64_t *version)
{
	uint64_t next = fake_load(FAKE_LOAD, version, sizeof(*version)) + 1;

	fake_store(FAKE_STORE, version, next, sizeof(*version));
	return next;
}

static uint32_t own(uint32_t limit)
{
	return random_below(limit / CPUS) * CPUS + fake_this_number();
}

static void change_kernel(void)
{
	uint32_t page = own(FAKE_KERNEL_PAGES);
	uint64_t version = write_entry(&fake_kernel_version[page]);

	ktlb_flush_kernel_range(FAKE_KERNEL_VA(page), 0x1000, 0x1000,
	                        random_below(2) ? KTLB_LEAF_ONLY : 0);
	promise(&promised_kernel[page], version);
}

static void change_table(void)
{
	uint32_t n = own(SPACES);
	uint64_t root = root_of(&space[n]), version = write_entry(&fake_table_version[root]);

	if (random_below(2))
		ktlb_flush_space(&space[n]);
	else
		ktlb_flush_page(&space[n], 0, 0);
	promise(&promised_table[root], version);
}

/* One page, or two with what lies between them. */
static void change_pages(void)
{
	struct ktlb_space *s = any_space();
	uint64_t root = root_of(s), first_version, last_version;
	uint32_t first = own(PAGES), last = own(PAGES);

	if (last < first)
		first = last;
	first_version = write_entry(&fake_version[root][first]);
	last_version = first == last ? first_version : write_entry(&fake_version[root][last]);
	if (first == last)
		ktlb_flush_page(s, (uint64_t)first << 12, KTLB_LEAF_ONLY);
	else
		ktlb_flush_range(s, (uint64_t)first << 12, (uint64_t)(last + 1 - first) << 12,
		                 0x1000, KTLB_LEAF_ONLY);
	promise(&promised[root][first], first_version);
	promise(&promised[root][last], last_version);
}

static void change(uint32_t what)
{
	add(&done.flushes, 1);
	if (what == 0)
		change_kernel();
	else if (what == 1)
		change_table();
	else
		change_pages();
}

/* Interrupts are on before and after. */
static void step(void)
{
	uint32_t cpu = fake_this_number(), what = random_below(16);
	struct fake_cpu *c = fake_this();

	c->irqs_off = what < 5 || one_in(4);
	if (what < 3) {
		struct ktlb_space *next = next_space(runs[cpu]);

		ktlb_switch(next);
		runs[cpu] = next;
	} else if (what < 5) {
		runs[cpu] = 0;
		ktlb_enter_lazy();
	} else if (what < 10) {
		change(what - 5);
	} else {
		add(&done.uses, 1);
		use();
	}
	c->irqs_off = 0;
	give_way(16, 4);
	fake_interrupt();
}

/* A flush waits on this CPU. */
static void while_it_waits(void)
{
	if (one_in(4))
		fake_drain(1);
	if (fake_this()->irqs_off) {
		sched_yield();
		return;
	}
	fake_interrupt();
	if (nesting < MAX_NESTING && one_in(4) && !__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		nesting++;
		add(&done.nested, 1);
		step();
		nesting--;
	} else {
		sched_yield();
	}
}

static void *run_cpu(void *number)
{
	uint32_t cpu = (uint32_t)(uintptr_t)number;
	struct fake_cpu *c = &fake_cpu[cpu];

	fake_run_on(cpu);
	random_state = (seed + 1) * 0x9e3779b97f4a7c15 + cpu * 0xbf58476d1ce4e5b9 + 1;
	for (uint32_t page = 0; page < FAKE_KERNEL_PAGES; page++)
		fake_touch_kernel(page); /* as the start-up code does */
	for (uint32_t wait = random_below(64); wait; wait--)
		sched_yield();
	ktlb_cpu_online(cpu, fake_state(cpu));
	c->irqs_off = 0;
	for (int i = 0; i < FIRST_STEPS; i++) {
		change_kernel();
		use();
		fake_interrupt();
	}
	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST))
		step();

	/* What others have asked, until nobody asks any more. */
	__atomic_add_fetch(&finished, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&finished, __ATOMIC_SEQ_CST) < CPUS) {
		fake_drain(1);
		fake_interrupt();
		sched_yield();
	}
	fake_drain(UINT32_MAX);
	return 0;
}

/* ---- rounds -----------------------------------------------------------------------------------*/

static void join(pthread_t thread, uint32_t cpu)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += HANG_S;
	if (pthread_timedjoin_np(thread, 0, &until) == ETIMEDOUT) {
		fprintf(stderr, "CPU %u waits for an answer that does not come; seed %llu\n", cpu,
		        (unsigned long long)seed);
		_Exit(1);
	}
}

static void run_round(int pcid, int invpcid, int pge, long milliseconds)
{
	const struct ktlb_config config = {.cpus = CPUS, .kernel_root = FAKE_KERNEL_ROOT};
	const struct timespec pause = {0, milliseconds * 1000000};
	pthread_t thread[CPUS];

	fake_power_on(pcid, invpcid, pge);
	ktlb_init(&config);
	new_spaces();
	memset(promised, 0, sizeof(promised));
	memset(promised_table, 0, sizeof(promised_table));
	memset(promised_kernel, 0, sizeof(promised_kernel));
	stop = finished = 0;
	fake_quiet = fake_stores_wait = 1;
	fake_access_hook = between_accesses;
	fake_hook = before_instruction;
	fake_others = while_it_waits;
	for (uintptr_t cpu = 0; cpu < CPUS; cpu++)
		pthread_create(&thread[cpu], 0, run_cpu, (void *)cpu);
	nanosleep(&pause, 0);
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		join(thread[cpu], cpu);
	seed++;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On a busy host nobody may get anywhere in a round: the next one is then longer. */
static void run(double until, int pcid)
{
	long milliseconds = ROUND_MS;

	memset(&done, 0, sizeof(done));
	failed = 0;
	for (int round = 0; round == 0 || now() < until || !(done.uses && done.flushes); round++) {
		run_round(pcid, pcid && round % 2, round / 2 % 4 != 3, milliseconds);
		if (!(done.uses && done.flushes) && milliseconds < ROUND_MOST_MS)
			milliseconds *= 2;
		if (failed)
			fail_msg("%s; seed %llu", failure, (unsigned long long)seed - 1);
	}
	print_message("%llu uses, %llu flushes, %llu steps while a flush waits\n",
	              (unsigned long long)done.uses, (unsigned long long)done.flushes,
	              (unsigned long long)done.nested);
	assert_true(done.uses && done.flushes);
}

static void coherence_with_pcids(void **unused)
{
	(void)unused;
	run(now() + seconds * 3 / 4, 1);
}

static void coherence_without_pcids(void **unused)
{
	(void)unused;
	run(now() + seconds / 4, 0);
}

int main(int arguments, char **argument)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coherence_with_pcids),
		cmocka_unit_test(coherence_without_pcids),
	};

	if (arguments > 1)
		seed = strtoull(argument[1], 0, 0);
	if (arguments > 2)
		seconds = strtod(argument[2], 0);
	return cmocka_run_group_tests_name("stress", tests, 0, 0);
}
