/* SPDX-License-Identifier: MIT */
/*
 * The boot tests: does the library keep its promises on real page tables, with user programs,
 * interrupts and threads that wander?
 *
 * What a test claims is checked by its programs (user/), or by threads of its own. That its subject
 * has happened at all is proved by counters, those of ktlb and the kernel's: a test whose subject
 * did not happen has failed, or, where it cannot happen here, is skipped with the reason. Around
 * every test: no frame may have been written after it was freed, none may be missing, and ktlb's
 * ids must be in order (ktlb_audit; an emulator's TLB may forgive two spaces under one id).
 *
 * The output is TAP, but for the last line, "N passed, N failed".
 */
#include <arch.h>

enum verdict {
	PASSED,
	FAILED,
	SKIPPED,
};

#define RUN_PROCESSES 4
#define RUN_TRIES     20

static enum verdict verdict;
static char details[200];
static struct ktlb_stats stats_before;
static struct cpu_counts cpu_before;
static struct vm_counts vm_before;

/* ---- what tests say ---------------------------------------------------------------------------*/

static void add_detail(const char *text)
{
	size_t used = 0;

	while (details[used])
		used++;
	kformat(details + used, sizeof(details) - used, "%s%s", used ? ", " : "", text);
}

static void fail(const char *why)
{
	verdict = FAILED;
	add_detail(why);
}

/* A failure stays one. */
static void skip(const char *why)
{
	if (verdict == PASSED)
		verdict = SKIPPED;
	add_detail(why);
}

/* Something that must have happened, `count` times. */
static void prove(const char *what, uint64_t count)
{
	char text[64];

	kformat(text, sizeof(text), "%lu %s", count, what);
	add_detail(text);
	if (!count)
		fail("which proves nothing");
}

static uint64_t counted(enum ktlb_counter counter)
{
	struct ktlb_stats now = {{0}};

	ktlb_stats_add(&now);
	return now.count[counter] - stats_before.count[counter];
}

/* The same, of ktlb's counters. */
static void prove_counted(const char *what, uint64_t count)
{
	if (KTLB_CFG_COUNT)
		prove(what, count);
	else if (verdict == PASSED)
		skip("it holds, but ktlb's counters are compiled out and prove nothing");
}

static void prove_counter(enum ktlb_counter counter)
{
	prove_counted(ktlb_counter_name(counter), counted(counter));
}

static struct cpu_counts cpu_counts_since(void)
{
	struct cpu_counts now;

	sched_counts(&now);
	now.switches -= cpu_before.switches;
	now.migrations -= cpu_before.migrations;
	now.preemptions -= cpu_before.preemptions;
	now.checks -= cpu_before.checks;
	return now;
}

static uint32_t rounds(uint32_t normal)
{
	return normal * (uint32_t)options.rounds;
}

/* Of what takes a turn of each CPU on the host, which may have but two. */
static uint32_t rounds_of_all_cpus(void)
{
	return rounds(cpu_count <= 4 ? 50 : 200 / cpu_count);
}

static void run_program(uint32_t program, uint64_t arg, int64_t want)
{
	int process = process_spawn(program, arg);

	if (process < 0 || process_wait((uint32_t)process) != want)
		fail("a program failed");
}

/*
 * Several processes at once; and again, should a host that is short of CPUs have let no timer
 * interrupt through, or only one CPU run.
 */
static void run_until_moved(uint32_t program, uint32_t processes, uint64_t arg)
{
	int process[RUN_PROCESSES];
	struct cpu_counts counts;
	uint32_t tries = 0;

	ASSERT(processes <= RUN_PROCESSES);
	do {
		for (uint32_t i = 0; i < processes; i++)
			process[i] = process_spawn(program, arg);
		for (uint32_t i = 0; i < processes; i++)
			if (process[i] < 0 || process_wait((uint32_t)process[i]))
				fail("a program failed");
		counts = cpu_counts_since();
	} while (++tries < RUN_TRIES && verdict != FAILED &&
	         (!counts.preemptions || (cpu_count > 1 && !counts.migrations)));
}

/* ---- CPUs -------------------------------------------------------------------------------------*/

#define PERCPU_ORIGINAL 0x600d

static KTLB_PERCPU(uint64_t, percpu_probe) = PERCPU_ORIGINAL;
static struct latch everywhere;
static uint32_t wrong_cpus;

/* Runs pinned to CPU `arg`. */
static void check_cpu(void *arg)
{
	uint32_t cpu = (uint32_t)(uintptr_t)arg;
	uint64_t irq = arch_irq_save();

	if (ktlb_cpu_id() != cpu || arch_cpu_number() != cpu ||
	    ktlb_cpu_self() != percpu_of(cpu, ktlb_percpu) ||
	    ktlb_this_cpu(percpu_probe) != percpu_of(cpu, percpu_probe) ||
	    *ktlb_this_cpu(percpu_probe) != PERCPU_ORIGINAL)
		ktlb_add_relaxed(&wrong_cpus, 1);
	*ktlb_this_cpu(percpu_probe) += cpu + 1;
	arch_irq_restore(irq);
	latch_done(&everywhere);
}

/* A thread on every CPU, each given the number. */
static void start_everywhere(const char *name, void (*run)(void *))
{
	everywhere.missing = cpu_count;
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		kthread_create(name, run, (void *)(uintptr_t)cpu, (int32_t)cpu);
}

static void test_cpus(void)
{
	start_everywhere("check cpu", check_cpu);
	latch_wait(&everywhere);
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		if (*percpu_of(cpu, percpu_probe) != PERCPU_ORIGINAL + cpu + 1)
			fail("a per-CPU variable is not per CPU");
	if (percpu_probe != PERCPU_ORIGINAL)
		fail("the original of a per-CPU variable was written");
	if (wrong_cpus)
		fail("a CPU does not know who it is");
	prove("CPUs", cpu_count);
}

/* ---- is the port right? -----------------------------------------------------------------------*/

#define SELFTEST_SPACES 8

static uint64_t selftest_frame[2];

struct errand {
	void (*function)(void *data);
	void *data;
};

static void run_errand(void *arg)
{
	struct errand *errand = arg;
	uint64_t irq = arch_irq_save();

	errand->function(errand->data);
	arch_irq_restore(irq);
	latch_done(&everywhere);
}

static void selftest_run_on(void *arg, uint32_t cpu, void (*function)(void *data), void *data)
{
	struct errand errand = {function, data};

	(void)arg;
	everywhere.missing = 1;
	kthread_create("selftest", run_errand, &errand, (int32_t)cpu);
	latch_wait(&everywhere);
}

static void selftest_print(void *arg, const char *line)
{
	(void)arg;
	kprintf("# %s\n", line);
}

static uint32_t selftest_hardware_cpu(void *arg)
{
	(void)arg;
	return arch_cpu_number();
}

static uint64_t selftest_clock(void *arg)
{
	(void)arg;
	return arch_clock();
}

static void selftest_show(void *arg, int frame)
{
	(void)arg;
	ktlb_store_relaxed(arch_window_entry(0), frame == KTLB_SELFTEST_NOTHING
	                                                 ? 0
	                                                 : arch_window_page(selftest_frame[frame]));
}

/* Each frame says which it is. */
static int selftest_look(void *arg)
{
	uint64_t found = 0;

	(void)arg;
	return arch_probe(ARCH_WINDOW, &found) ? KTLB_SELFTEST_NOTHING : (int)found;
}

static void test_selftest(void)
{
	static struct ktlb_space space[SELFTEST_SPACES];
	const struct ktlb_selftest_ops ops = {
		.print = selftest_print,
		.run_on = selftest_run_on,
		.hardware_cpu = selftest_hardware_cpu,
		.clock = selftest_clock,
		.patience = options.silent * arch_clock_hz(),
		.va = ARCH_WINDOW,
		.show = selftest_show,
		.look = selftest_look,
		.space = space,
		.spaces = SELFTEST_SPACES,
	};

	for (uint64_t frame = 0; frame < 2; frame++) {
		selftest_frame[frame] = page_alloc();
		*(uint64_t *)page_pointer(selftest_frame[frame]) = frame;
	}
	for (uint32_t i = 0; i < SELFTEST_SPACES; i++)
		ktlb_space_init(&space[i], arch_empty_root());
	if (ktlb_selftest(&ops))
		fail("ktlb's own test has failed");
	for (uint32_t i = 0; i < SELFTEST_SPACES; i++)
		ktlb_space_destroy(&space[i]);
	for (uint32_t frame = 0; frame < 2; frame++)
		page_free(selftest_frame[frame]);
	prove("CPUs", cpu_count);
}

/* ---- changes under the eyes of all CPUs -------------------------------------------------------*/

/* One toucher more than CPUs, so that they are moved, too. Seven rounds use each count of pages. */
static void run_coherence(uint32_t how)
{
	uint32_t threads = cpu_count + 1;

	run_program(PROGRAM_COHERENCE, how | threads << 8 | (uint64_t)rounds(14) << 16, 0);
	prove_counter(KTLB_COUNT_FLUSH_GATHER);
}

static void test_unmap(void)
{
	uint64_t tables = ktlb_load_relaxed(&vm_counts.tables);

	run_coherence(HOW_UNMAP);
	if (ktlb_load_relaxed(&vm_counts.tables) != tables)
		fail("tables were freed, so that the leaf-only form was not used");
}

static void test_unmap_table(void)
{
	run_coherence(HOW_UNMAP_TABLE);
	prove("tables freed", ktlb_load_relaxed(&vm_counts.tables) - vm_before.tables);
}

static void test_protect(void)
{
	run_coherence(HOW_PROTECT);
	prove("pages allowed more without a flush",
	      ktlb_load_relaxed(&vm_counts.unflushed) - vm_before.unflushed);
}

static void test_dontneed(void)
{
	run_coherence(HOW_DONTNEED);
	prove("demand faults", ktlb_load_relaxed(&vm_counts.demand) - vm_before.demand);
}

static void test_sparse(void)
{
	run_program(PROGRAM_SPARSE, rounds(20), 0);
	prove_counter(KTLB_COUNT_FLUSH_GATHER);
}

static void test_storm(void)
{
	run_until_moved(PROGRAM_STORM, 4, 4 | (uint64_t)rounds(60) << 16);
	prove_counter(KTLB_COUNT_FLUSH_GATHER);
	prove("preemptions", cpu_counts_since().preemptions);
}

/*
 * All CPUs change one space at once. Where they are told by interrupt, it has to come to what that is
 * about, and is tried again until it has: a CPU that is asked for a change after it has made good
 * for a later one.
 */
static void test_give_back(void)
{
	enum ktlb_counter overtaken = KTLB_CFG_OPT_EARLY_OUT ? KTLB_COUNT_HANDLED_SATISFIED
	                                                     : KTLB_COUNT_HANDLED_CAUGHT_UP;
	int by_interrupt = KTLB_ARCH_INTERRUPTS && cpu_count > 1;
	uint32_t tries = 0;

	do
		run_program(PROGRAM_GIVE_BACK,
		            cpu_count | 1 << 16 | (uint64_t)rounds_of_all_cpus() << 32, 0);
	while (KTLB_CFG_COUNT && by_interrupt && verdict != FAILED && !counted(overtaken) &&
	       ++tries < RUN_TRIES);
	prove("demand faults", ktlb_load_relaxed(&vm_counts.demand) - vm_before.demand);
	prove_counter(KTLB_COUNT_FLUSH_GATHER);
	if (by_interrupt)
		prove_counter(overtaken);
}

/* A fault that nothing excuses ends the process, and only that. */
static void test_fault(void)
{
	run_program(PROGRAM_FAULT, 0, EXIT_FAULT);
}

/* ---- the kernel's own pages -------------------------------------------------------------------*/

/* The last pages of the address space: a flush that ends where addresses do. */
#define WINDOW_PAGES 3
#define WINDOW_FIRST (ARCH_WINDOW_PAGES - WINDOW_PAGES)
#define WINDOW_GONE  ((uint64_t)1 << 32) /* a version: the pages are unmapped for good */
#define WINDOW_STOP  (WINDOW_GONE + 1)

static uint64_t window_version;        /* each word of the frames says it; release, acquire */
static uint64_t window_seen[MAX_CPUS]; /* by that CPU: the version it has looked at, release */
static uint64_t window_stale, window_looks;

/*
 * Version first, then the page: what is there must be that version or a later one. The page may
 * be missing for a moment, while it is being changed; and for good, once that is the version.
 */
static void look_through_window(uint64_t version)
{
	for (uint64_t i = 0; i < WINDOW_PAGES; i++) {
		uint64_t va = ARCH_WINDOW + (WINDOW_FIRST + i) * PAGE_SIZE, found = 0;
		int missing = arch_probe(va, &found);

		while (missing && version != WINDOW_GONE &&
		       ktlb_load_acquire(&window_version) == version) {
			ktlb_relax();
			missing = arch_probe(va, &found);
		}
		if (!missing && (found < version || found >= WINDOW_GONE))
			ktlb_add_relaxed(&window_stale, 1);
		ktlb_add_relaxed(&window_looks, 1);
	}
}

static void watch_window(void *arg)
{
	uint32_t cpu = (uint32_t)(uintptr_t)arg;
	uint64_t version;

	while ((version = ktlb_load_acquire(&window_version)) != WINDOW_STOP) {
		if (version)
			look_through_window(version);
		ktlb_store_release(&window_seen[cpu], version);
		sched_yield();
	}
	latch_done(&everywhere);
}

static void enter_window_version(uint64_t version)
{
	ktlb_store_release(&window_version, version);
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		while (ktlb_load_acquire(&window_seen[cpu]) != version)
			sched_yield();
}

static void fill_window_frame(uint64_t frame, uint64_t version)
{
	uint64_t *word = page_pointer(frame);

	for (uint32_t i = 0; i < PAGE_SIZE / sizeof(*word); i++)
		ktlb_store_relaxed(&word[i], version);
}

static void test_kernel_remap(void)
{
	uint64_t old[WINDOW_PAGES] = {0}, new[WINDOW_PAGES];
	uint64_t versions = rounds_of_all_cpus();

	window_version = 0;
	start_everywhere("watch window", watch_window);
	for (uint64_t version = 1; version <= versions; version++) {
		for (uint32_t i = 0; i < WINDOW_PAGES; i++) {
			new[i] = page_alloc();
			fill_window_frame(new[i], version);
		}
		vm_window_remap(WINDOW_FIRST, WINDOW_PAGES, new);
		for (uint32_t i = 0; i < WINDOW_PAGES; i++) {
			if (old[i])
				page_free(old[i]);
			old[i] = new[i];
		}
		enter_window_version(version);
	}
	vm_window_remap(WINDOW_FIRST, WINDOW_PAGES, NULL);
	for (uint32_t i = 0; i < WINDOW_PAGES; i++)
		page_free(old[i]);
	enter_window_version(WINDOW_GONE);
	ktlb_store_release(&window_version, WINDOW_STOP);
	latch_wait(&everywhere);

	if (window_stale)
		fail("a CPU has seen what was there before");
	prove("looks", window_looks);
	prove_counter(KTLB_COUNT_FLUSH_KERNEL);
}

/* ---- two that flush at once ------------------------------------------------------------------*/

#define DUEL_ROUNDS 200

static struct space duel_space;
static uint64_t duel_frame[2];
static uint64_t duel_stale;
static uint64_t duel_meetings; /* how often one of the two has come to meet() */

static uint64_t duel_address(uint64_t which)
{
	return ARCH_WINDOW + which * PAGE_SIZE;
}

/* Waits for the other one. Interrupts are off, and it may be flushing: hence the poll. */
static void meet(void)
{
	uint64_t came = __atomic_add_fetch(&duel_meetings, 1, __ATOMIC_ACQ_REL);

	while (ktlb_load_acquire(&duel_meetings) < (came + 1) / 2 * 2) {
		ktlb_poll();
		ktlb_relax();
	}
}

static void duel_look(int there)
{
	for (uint64_t which = 0; which < 2; which++) {
		uint64_t found = 0;

		/* One more fault is allowed after a page has come, and none before it has gone. */
		while (arch_probe(duel_address(which), &found) && there)
			ktlb_relax();
		if (found != (there ? duel_frame[which] : 0))
			ktlb_add_relaxed(&duel_stale, 1);
	}
}

/*
 * One of the two: its page of the window comes and goes, as does that of the other, and whatever is
 * flushed is flushed by both at the same time, so that each must serve the other while it waits.
 */
static void duel(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;

	for (uint32_t round = 0; round < rounds(DUEL_ROUNDS); round++) {
		uint64_t irq = arch_irq_save();

		ktlb_switch(&duel_space.ktlb);
		ktlb_store_relaxed(arch_window_entry(me), arch_window_page(duel_frame[me]));
		ktlb_publish();
		meet();
		duel_look(1);
		meet();
		ktlb_store_relaxed(arch_window_entry(me), 0);
		ktlb_flush_kernel_range(duel_address(me), PAGE_SIZE, PAGE_SIZE, KTLB_LEAF_ONLY);
		meet();
		duel_look(0);
		ktlb_flush_space(&duel_space.ktlb);
		ktlb_flush_page(&duel_space.ktlb, me * PAGE_SIZE, 0);
		meet();
		ktlb_enter_lazy();
		arch_irq_restore(irq);
	}
	latch_done(&everywhere);
}

static void test_two_initiators(void)
{
	if (cpu_count == 1) {
		skip("one CPU, no two initiators");
		return;
	}
	vm_create(&duel_space);
	duel_meetings = 0;
	everywhere.missing = 2;
	for (uint64_t which = 0; which < 2; which++) {
		duel_frame[which] = page_alloc();
		*(uint64_t *)page_pointer(duel_frame[which]) = duel_frame[which];
	}
	kthread_create("duel", duel, (void *)0, 0);
	kthread_create("duel", duel, (void *)1, (int32_t)cpu_count - 1);
	latch_wait(&everywhere);
	for (uint64_t which = 0; which < 2; which++)
		page_free(duel_frame[which]);
	vm_destroy(&duel_space);

	if (duel_stale)
		fail("a CPU has seen a page after it had gone, or another one");
	prove("meetings", duel_meetings);
	prove_counter(KTLB_COUNT_FLUSH_KERNEL);
	prove_counter(KTLB_COUNT_FLUSH_SPACE);
	if (KTLB_ARCH_INTERRUPTS)
		prove_counter(KTLB_COUNT_HANDLED);
}

/* ---- ids --------------------------------------------------------------------------------------*/

#define ID_PROCESSES      24  /* more than the smallest limits, and fast */
#define ID_PROCESSES_MANY 300 /* more than 8 bits */
#define ID_LIMIT_SMALL    20
#define ID_LIMIT_8_BITS   256

/* Else they are the system's, a number and a generation; per CPU they are its own business. */
#define IDS_PER_CPU KTLB_ARCH_INTERRUPTS

/* Equal means: one number, one generation; or one space, where ids are per CPU. */
static void check_ids(void)
{
	static uint64_t id[MAX_PROCESSES];
	uint32_t n = process_space_ids(id, MAX_PROCESSES);
	const char *complaint;
	uint64_t irq = arch_irq_save();

	complaint = ktlb_audit();
	arch_irq_restore(irq);
	if (complaint)
		fail(complaint);
	for (uint32_t i = 0; i < n; i++) {
		if (!IDS_PER_CPU && id[i] && (id[i] & 0xffff) >= ktlb_id_limit())
			fail("an id is beyond the limit");
		for (uint32_t j = 0; j < i; j++)
			if (id[i] && id[i] == id[j])
				fail("two spaces have one id");
	}
}

/*
 * Where ids are per system, one space keeps its number, as for a device, however often all of them are
 * given out anew. 0: none can be spared.
 */
#if IDS_PER_CPU
static uint32_t pin(uint32_t process)
{
	(void)process;
	return 0;
}

static void unpin(uint32_t process)
{
	(void)process;
}
#else
static uint32_t pin(uint32_t process)
{
	uint32_t number = ktlb_ids_pin(process_space(process), 0);

	if (!number != (ktlb_id_limit() == cpu_count + 2))
		fail("a pin that the limit allows is refused, or the other way round");
	return number;
}

static void unpin(uint32_t process)
{
	ktlb_ids_unpin(process_space(process));
}
#endif

static void test_ids(void)
{
	static int channel[ID_PROCESSES_MANY], process[ID_PROCESSES_MANY];
	uint32_t limit = ktlb_id_limit();
	uint32_t n = limit > ID_LIMIT_SMALL && limit <= ID_LIMIT_8_BITS ? ID_PROCESSES_MANY
	                                                                : ID_PROCESSES;
	int out = channel_create();
	struct message go = {{1}}, done, stop = {{0}};
	uint32_t pinned;

	for (uint32_t i = 0; i < n; i++) {
		channel[i] = channel_create();
		process[i] = process_spawn(PROGRAM_PATTERN, (uint64_t)channel[i] |
		                                                    (uint64_t)out << 16 |
		                                                    (uint64_t)(i + 1) << 32);
	}
	pinned = pin((uint32_t)process[0]);
	for (uint32_t round = 0; round < rounds(5) && verdict != FAILED; round++) {
		for (uint32_t i = 0; i < n; i++)
			channel_send((uint32_t)channel[i], &go);
		for (uint32_t i = 0; i < n; i++)
			channel_receive((uint32_t)out, &done);
		check_ids();
		if (pinned &&
		    (ktlb_space_id(process_space((uint32_t)process[0])) & 0xffff) != pinned)
			fail("a pinned number has changed");
	}
	if (pinned)
		unpin((uint32_t)process[0]);
	for (uint32_t i = 0; i < n; i++) {
		channel_send((uint32_t)channel[i], &stop);
		if (process_wait((uint32_t)process[i]))
			fail("a program failed");
		channel_destroy((uint32_t)channel[i]);
	}
	channel_destroy((uint32_t)out);
	prove("processes", n);
	prove_counter(KTLB_COUNT_ID_NEW);
	if (IDS_PER_CPU) {
		prove_counter(KTLB_COUNT_SWITCH_FLUSH);
	} else if (limit > n) {
		skip("there are more ids than processes, so none is used twice: boot with ids=");
	} else {
		prove_counter(KTLB_COUNT_ROLLOVER);
		prove_counter(KTLB_COUNT_FLUSH_OWED);
	}
}

/* ---- threads that come, go and move -----------------------------------------------------------*/

static void test_lazy_exit(void)
{
	for (uint32_t i = 0; i < rounds(20); i++)
		run_program(PROGRAM_EXIT_IN_TURN, cpu_count * 2 | (i % 2) << 16, 0);
	prove_counter(KTLB_COUNT_ENTER_LAZY);
}

/*
 * Threads look at pages, sleep, and look again; meanwhile their CPUs idle and the pages go, with or
 * without their tables. Where others are told by interrupt, `counter` says how often it came to
 * that, and it is tried again until it has. It is read before the process ends, for the end makes
 * all lazy CPUs leave, too. One channel says that the program is done, one that it may end, and
 * each helper has one.
 */
static void run_lazy(uint32_t how, enum ktlb_counter counter)
{
	int by_interrupt = KTLB_ARCH_INTERRUPTS && KTLB_CFG_OPT_LAZY && cpu_count > 1;
	uint32_t helpers = cpu_count > 1 ? cpu_count - 1 : 1, tries = 0;
	struct message message = {{0}};
	int done = channel_create();
	uint64_t events = 0;

	for (uint32_t i = 1; i < helpers + 2; i++)
		ASSERT(channel_create() == done + (int)i);
	do {
		uint64_t before = counted(counter);
		int process = process_spawn(PROGRAM_LAZY, (uint64_t)done | how << 16 |
		                                                  helpers << 24 |
		                                                  (uint64_t)rounds(20) << 32);

		channel_receive((uint32_t)done, &message);
		events += counted(counter) - before;
		channel_send((uint32_t)done + 1, &message);
		if (process_wait((uint32_t)process))
			fail("a program failed");
	} while (KTLB_CFG_COUNT && by_interrupt && !events && ++tries < RUN_TRIES);
	for (uint32_t i = 0; i < helpers + 2; i++)
		channel_destroy((uint32_t)done + i);
	prove_counter(KTLB_COUNT_ENTER_LAZY);
	if (by_interrupt)
		prove_counted(ktlb_counter_name(counter), events);
}

static void test_lazy_flush(void)
{
	run_lazy(HOW_UNMAP, KTLB_COUNT_SKIP_LAZY);
}

static void test_lazy_tables(void)
{
	run_lazy(HOW_UNMAP_TABLE, KTLB_COUNT_HANDLED_LAZY);
	prove("tables freed", ktlb_load_relaxed(&vm_counts.tables) - vm_before.tables);
}

static void test_migration(void)
{
	run_until_moved(PROGRAM_WANDER, 2, cpu_count * 2 | (uint64_t)rounds(400) << 16);
	/* switch_finish in sched.c compares the number at each of them. */
	prove("CPU numbers checked", cpu_counts_since().checks);
	prove("preemptions", cpu_counts_since().preemptions);
	if (cpu_count == 1)
		skip("nowhere to move to: 1 CPU");
	else
		prove("migrations", cpu_counts_since().migrations);
}

/* ---- a CPU that does not answer ---------------------------------------------------------------*/

#if KTLB_CFG_WATCHDOG && KTLB_ARCH_INTERRUPTS
#define STUCK_REPORTS 2

static uint32_t deaf;

/* Interrupts off, and no poll, until that has been reported. */
static void be_deaf(void *unused)
{
	uint64_t irq = arch_irq_save();

	(void)unused;
	ktlb_store_release(&deaf, 1);
	while (ktlb_load_acquire(&port_stuck_reports) < STUCK_REPORTS)
		ktlb_relax();
	arch_irq_restore(irq);
	latch_done(&everywhere);
}

/* Runs on CPU 0. */
static void flush_everywhere(void *unused)
{
	(void)unused;
	while (!ktlb_load_acquire(&deaf))
		sched_yield();
	ktlb_flush_kernel_range(ARCH_WINDOW, PAGE_SIZE, PAGE_SIZE, KTLB_LEAF_ONLY);
	latch_done(&everywhere);
}

static void test_stuck(void)
{
	if (cpu_count == 1) {
		skip("one CPU, which waits for none");
		return;
	}
	port_stuck_reports = 0;
	everywhere.missing = 2;
	kthread_create("deaf", be_deaf, NULL, (int32_t)cpu_count - 1);
	kthread_create("flush everywhere", flush_everywhere, NULL, 0);
	latch_wait(&everywhere);
	prove("reports", port_stuck_reports);
	prove_counter(KTLB_COUNT_INTERRUPT_AGAIN);
}
#else
static void test_stuck(void)
{
	skip(KTLB_ARCH_INTERRUPTS ? "KTLB_CFG_WATCHDOG is 0" : "no CPU waits for another");
}
#endif

/* ---- CPUs that go and come back ---------------------------------------------------------------*/

static uint64_t hotplug_want; /* what the window shows */
static uint32_t hotplug_wrong;

static void look_at_window(void *unused)
{
	uint64_t found = 0;

	(void)unused;
	while (arch_probe(ARCH_WINDOW, &found))
		ktlb_relax();
	if (found != ktlb_load_relaxed(&hotplug_want))
		ktlb_add_relaxed(&hotplug_wrong, 1);
	latch_done(&everywhere);
}

static void look_from(uint32_t cpu)
{
	everywhere.missing = 1;
	kthread_create("look at window", look_at_window, NULL, (int32_t)cpu);
	latch_wait(&everywhere);
}

/* A page of the kernel's half shows another frame; all CPUs that are online are told. */
static void change_window(uint64_t *frame, uint64_t version)
{
	uint64_t new = page_alloc();

	fill_window_frame(new, version);
	vm_window_remap(0, 1, &new);
	if (*frame)
		page_free(*frame);
	*frame = new;
	ktlb_store_relaxed(&hotplug_want, version);
}

/* The CPU has something cached when it goes; what that was is changed while it is away. */
static void off_and_on(uint32_t cpu, uint64_t *frame, uint64_t version)
{
	look_from(cpu);
	sched_cpu_off(cpu);
	change_window(frame, version);
	run_program(PROGRAM_EXIT_IN_TURN, 4, 0);
	sched_cpu_on(cpu);
	look_from(cpu);
}

/* This CPU as the last one of a machine that goes to sleep, and wakes up with its registers lost. */
static void sleep_and_wake(void *unused)
{
	struct ktlb_suspended suspended;
	uint64_t irq = arch_irq_save();

	(void)unused;
	ktlb_cpu_suspend(&suspended);
	ktlb_cpu_resume(&suspended);
	arch_irq_restore(irq);
	latch_done(&everywhere);
}

/*
 * CPUs go and come back, one after the other and then all but one at once, while processes change
 * their spaces on all that there are.
 */
static void test_hotplug(void)
{
	int process[RUN_PROCESSES];
	uint64_t frame = 0, version = 0;

	if (cpu_count == 1) {
		skip("one CPU, which stays");
		return;
	}
	for (uint32_t i = 0; i < RUN_PROCESSES; i++)
		process[i] = process_spawn(PROGRAM_STORM, 4 | (uint64_t)rounds(60) << 16);
	change_window(&frame, ++version);
	for (uint32_t cpu = 1; cpu < cpu_count; cpu++)
		off_and_on(cpu, &frame, ++version);
	for (uint32_t cpu = 1; cpu < cpu_count; cpu++)
		sched_cpu_off(cpu);
	change_window(&frame, ++version);
	everywhere.missing = 1;
	kthread_create("sleep", sleep_and_wake, NULL, 0);
	latch_wait(&everywhere);
	for (uint32_t cpu = 1; cpu < cpu_count; cpu++) {
		sched_cpu_on(cpu);
		look_from(cpu);
	}
	for (uint32_t i = 0; i < RUN_PROCESSES; i++)
		if (process[i] < 0 || process_wait((uint32_t)process[i]))
			fail("a program failed");
	vm_window_remap(0, 1, NULL);
	page_free(frame);
	if (hotplug_wrong)
		fail("a CPU that came back has seen what was there before");
	prove("times that a CPU went and came back", 2 * (cpu_count - 1));
	prove_counter(KTLB_COUNT_FLUSH_KERNEL);
	prove_counter(KTLB_COUNT_FLUSH_GATHER);
	prove("preemptions", cpu_counts_since().preemptions);
}

static void test_messages(void)
{
	if (run_messages(1, rounds(10)))
		fail("a message was lost, or came twice or too early");
	prove("switches", cpu_counts_since().switches);
	/* With very few ids no switch may be a hit. */
	prove_counted("of spaces", counted(KTLB_COUNT_SWITCH_HIT) +
	                                   counted(KTLB_COUNT_SWITCH_SLOW) +
	                                   counted(KTLB_COUNT_SWITCH_FLUSH));
}

/* ---- all of them ------------------------------------------------------------------------------*/

static const struct test {
	const char *name;
	void (*run)(void);
} tests[] = {
	{"cpus", test_cpus},
	{"selftest", test_selftest},
	{"unmap", test_unmap},
	{"unmap-table", test_unmap_table},
	{"protect", test_protect},
	{"dontneed", test_dontneed},
	{"sparse", test_sparse},
	{"kernel-remap", test_kernel_remap},
	{"two-initiators", test_two_initiators},
	{"ids", test_ids},
	{"lazy-exit", test_lazy_exit},
	{"lazy-flush", test_lazy_flush},
	{"lazy-tables", test_lazy_tables},
	{"migration", test_migration},
	{"storm", test_storm},
	{"give-back", test_give_back},
	{"hotplug", test_hotplug},
	{"stuck", test_stuck},
	{"messages", test_messages},
	{"fault", test_fault},
};

static enum verdict run_test(const struct test *test)
{
	uint64_t pages = page_in_use(), damaged = page_damaged();

	verdict = PASSED;
	details[0] = '\0';
	stats_before = (struct ktlb_stats){{0}};
	ktlb_stats_add(&stats_before);
	sched_counts(&cpu_before);
	vm_before.demand = ktlb_load_relaxed(&vm_counts.demand);
	vm_before.spurious = ktlb_load_relaxed(&vm_counts.spurious);
	vm_before.tables = ktlb_load_relaxed(&vm_counts.tables);
	vm_before.unflushed = ktlb_load_relaxed(&vm_counts.unflushed);
	watchdog_task(test->name);
	test->run();
	if (page_in_use() != pages)
		fail("page frames are missing");
	if (page_damaged() != damaged)
		fail("a page was written after it had been freed");
	check_ids();
	return verdict;
}

int test_main(void)
{
	uint32_t count[3] = {0}, number = 0, planned = 0;

	for (uint32_t i = 0; i < ARRAY_LENGTH(tests); i++)
		planned += !options.test || string_equal(options.test, tests[i].name);
	if (!planned)
		panic("there is no test \"%s\"", options.test);
	kprintf("# ktlb " KTLB_VERSION ": %u CPUs, %u ids, features %x\n", cpu_count,
	        ktlb_id_limit(), ktlb_features());
	kprintf("1..%u\n", planned);
	for (uint32_t i = 0; i < ARRAY_LENGTH(tests); i++) {
		uint64_t start = arch_clock();
		enum verdict result;

		if (options.test && !string_equal(options.test, tests[i].name))
			continue;
		result = run_test(&tests[i]);
		count[result]++;
		kprintf("%sok %u - %s # %s%s, %lu ms\n", result == FAILED ? "not " : "", ++number,
		        tests[i].name, result == SKIPPED ? "SKIP " : "", details,
		        (arch_clock() - start) * 1000 / arch_clock_hz());
	}
	if (count[SKIPPED])
		kprintf("# %u skipped\n", count[SKIPPED]);
	kprintf("%u passed, %u failed\n", count[PASSED], count[FAILED]);
	return count[FAILED] ? 1 : 0;
}
