/* SPDX-License-Identifier: MIT */
/*
 * The measurements, one for each origin. Instructions are not counted here: the kernel marks where
 * a measurement begins and ends, and a plugin of the emulator (tools/count) counts what is executed
 * in between. lab/demo.py reads both and makes the tables.
 *
 * Each measurement has a number, its tag, which the marks carry; a line on the console says what the
 * tag stands for. Two of them measure nothing at all: the cost of the marks, to be subtracted.
 *
 *   bench micro             one call each, interrupts off, repeated: every repeat must be identical
 *   bench messages          the messaging load, the whole machine; groups=G loops=L
 *   bench pairs             requests and responses over idle, the whole machine; loops=L
 *   bench storm             a user's threads, one a CPU, write, give back and read a page each, L
 *                           times: what the library's own counters say, without marks; loops=L
 *   bench time              how long some calls take, for a CPU that is no emulator's; without marks
 *
 * bench_call, bench_mark and the functions of known length are in <arch>/bench_mark.S.
 */
#include <arch.h>
#include <kernel.h>

/* Tags; those from TAG_MACHINE up measure all CPUs together, and TAG_MACHINE itself is an end. */
enum {
	TAG_NOTHING = 1,
	TAG_SEVEN_NOPS,
	TAG_RETURN,
	TAG_SWITCH_HIT,
	TAG_SWITCH_SAME,
	TAG_SWITCH_FROM_LAZY,
	TAG_ENTER_LAZY,
	TAG_CPU_ID_CALL,
	TAG_CPU_ID_INLINED,
	TAG_NO_CPU_ID,
	TAG_FLUSH_PAGE,
	TAG_POLL,
	TAG_HANDLER_EMPTY,
	TAG_HANDLER_SATISFIED,
	TAG_FLUSH, /* and one for each stride and count of pages */

	TAG_MACHINE = 512,
	TAG_MESSAGES,
	TAG_PAIRS,
	TAG_MACHINE_NOTHING,
};

#define REPEATS        32
#define FLUSH_START    0x40000000ull
#define CALL_ARGUMENTS 5

typedef void (*bench_function)(void);

/*
 * Calls `function` with these arguments as measurement `tag`, which holds the function's own
 * instructions, its return included, and none of the call. Null: nothing at all.
 */
void bench_call(uint64_t tag, bench_function function, const uint64_t argument[CALL_ARGUMENTS]);

/* Begins or ends a measurement of the whole machine. */
void bench_mark(uint64_t tag);

void bench_seven_nops(void); /* seven NOPs, and the return */
void bench_return(void);     /* the return */

static struct ktlb_space space_a, space_b;

static void name_tag(uint64_t tag, const char *name)
{
	kprintf("bench: tag %lu is %s\n", tag, name);
}

/* A call without arguments, repeated. */
static void repeat(uint64_t tag, const char *name, bench_function function)
{
	const uint64_t none[CALL_ARGUMENTS] = {0};

	for (uint32_t i = 0; i < REPEATS; i++) {
		uint64_t irq = arch_irq_save();

		bench_call(tag, function, none);
		arch_irq_restore(irq);
	}
	name_tag(tag, name);
}

/* ---- O1, O4: the switch, and the way to idle and back -----------------------------------------*/

static void call_switch(uint64_t tag, struct ktlb_space *next)
{
	const uint64_t argument[CALL_ARGUMENTS] = {(uintptr_t)next};

	bench_call(tag, (bench_function)ktlb_switch, argument);
}

/*
 * Both spaces have ids from the first two switches on, and must have the same ones at the end: each
 * switch that was measured was a hit. Always to one space: how long x86-64 looks for a space's slot
 * depends on the slot. Leaves the CPU lazy, as the scheduler believes it to be.
 */
static void bench_switch(void)
{
	const uint64_t none[CALL_ARGUMENTS] = {0};
	uint64_t irq = arch_irq_save();
	uint64_t id_a, id_b;

	ktlb_switch(&space_a);
	ktlb_switch(&space_b);
	id_a = ktlb_space_id(&space_a);
	id_b = ktlb_space_id(&space_b);
	for (uint32_t i = 0; i < REPEATS; i++) {
		call_switch(TAG_SWITCH_HIT, &space_a);
		call_switch(TAG_SWITCH_SAME, &space_a);
		ktlb_switch(&space_b);
	}
	ktlb_switch(&space_a);
	ktlb_enter_lazy();
	for (uint32_t i = 0; i < REPEATS; i++) {
		call_switch(TAG_SWITCH_FROM_LAZY, &space_a);
		bench_call(TAG_ENTER_LAZY, ktlb_enter_lazy, none);
	}
	arch_irq_restore(irq);
	ASSERT(ktlb_space_id(&space_a) == id_a && ktlb_space_id(&space_b) == id_b);

	name_tag(TAG_SWITCH_HIT, "switch hit");
	name_tag(TAG_SWITCH_SAME, "switch to the space that is loaded");
	name_tag(TAG_SWITCH_FROM_LAZY, "switch from lazy");
	name_tag(TAG_ENTER_LAZY, "enter lazy");
}

/* ---- O2: flushes, where the hardware takes them to all CPUs -----------------------------------*/

/* The space has an id by now: a flush of one that never ran has nothing to do. */
static void bench_flush(uint64_t tag, uint64_t pages, uint64_t stride)
{
	const uint64_t argument[CALL_ARGUMENTS] = {
		(uintptr_t)&space_a, FLUSH_START, pages * stride, stride, 0,
	};
	uint64_t irq = arch_irq_save();

	bench_call(tag, (bench_function)ktlb_flush_range, argument);
	bench_call(tag, (bench_function)ktlb_flush_range, argument);
	arch_irq_restore(irq);
	kprintf("bench: tag %lu is pages=%lu stride=%lu\n", tag, pages, stride);
}

static void bench_flushes(void)
{
	static const uint16_t pages[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512};
	static const uint32_t strides[] = {0x1000, 0x200000};
	uint64_t tag = TAG_FLUSH;

	ASSERT(ktlb_space_id(&space_a) != 0);
	for (uint32_t s = 0; s < ARRAY_LENGTH(strides); s++)
		for (uint32_t p = 0; p < ARRAY_LENGTH(pages); p++)
			bench_flush(tag++, pages[p], strides[s]);
}

/* ---- what is called most --------------------------------------------------------------------*/

#if KTLB_ARCH_INTERRUPTS
/* A request for what this CPU has done already: one more call of another CPU's, forged. */
static void bench_handler(void)
{
	static struct ktlb_request request;
	static struct ktlb_call call;
	const uint64_t none[CALL_ARGUMENTS] = {0};
	uint64_t irq = arch_irq_save();

	request.space = &space_a;
	request.pages = 1;
	request.generation = 1;
	for (uint32_t i = 0; i < REPEATS; i++) {
		bench_call(TAG_POLL, ktlb_poll, none);
		bench_call(TAG_HANDLER_EMPTY, ktlb_handle_ipi, none);
		call.request = &request;
		ktlb_store_release(&ktlb_cpu_self()->queue, &call);
		bench_call(TAG_HANDLER_SATISFIED, ktlb_handle_ipi, none);
	}
	arch_irq_restore(irq);
	name_tag(TAG_POLL, "poll, nothing to do");
	name_tag(TAG_HANDLER_EMPTY, "handler, nothing to do");
	name_tag(TAG_HANDLER_SATISFIED, "handler, already up to date");
}
#else
static void bench_handler(void)
{
}
#endif

/* Of a space that this CPU alone has ever run, and runs now. Then the handler, under the same space. */
static void bench_often(void)
{
	const uint64_t page[CALL_ARGUMENTS] = {(uintptr_t)&space_a, FLUSH_START, KTLB_LEAF_ONLY};
	uint64_t irq = arch_irq_save();

	ktlb_switch(&space_a);
	for (uint32_t i = 0; i < REPEATS; i++)
		bench_call(TAG_FLUSH_PAGE, (bench_function)ktlb_flush_page, page);
	bench_handler();
	ktlb_enter_lazy();
	arch_irq_restore(irq);
	name_tag(TAG_FLUSH_PAGE, "flush of a page, no other CPU");
}

/* ---- O3: who am I -----------------------------------------------------------------------------*/

__attribute__((noinline)) static uint32_t cpu_id_call(void)
{
	return ktlb_cpu_id();
}

/* What the number costs where it is used; less cpu_id_not_used, which is the same without it. */
__attribute__((noinline)) static void cpu_id_inlined(void)
{
	uint32_t id = ktlb_cpu_id();

	__asm__ volatile("" : : "r"(id));
}

__attribute__((noinline)) static void cpu_id_not_used(void)
{
	__asm__ volatile("");
}

static void bench_cpu_id(void)
{
	repeat(TAG_CPU_ID_CALL, "cpu id call", (bench_function)cpu_id_call);
	repeat(TAG_CPU_ID_INLINED, "cpu id inlined", cpu_id_inlined);
	repeat(TAG_NO_CPU_ID, "no cpu id", cpu_id_not_used);
}

/* ---- the runs ---------------------------------------------------------------------------------*/

static void bench_micro(void)
{
	ktlb_space_init(&space_a, arch_empty_root());
	ktlb_space_init(&space_b, arch_empty_root());
	repeat(TAG_SEVEN_NOPS, "seven nops", bench_seven_nops);
	repeat(TAG_RETURN, "return", bench_return);
	bench_switch();
	if (!KTLB_ARCH_INTERRUPTS)
		bench_flushes();
	bench_cpu_id();
	bench_often();
	ktlb_space_destroy(&space_b);
	ktlb_space_destroy(&space_a);
}

/* Begins with a measurement of nothing at all. */
static void begin_machine(uint64_t tag)
{
	uint64_t irq = arch_irq_save();

	bench_mark(TAG_MACHINE_NOTHING);
	bench_mark(TAG_MACHINE);
	arch_irq_restore(irq);
	name_tag(TAG_MACHINE_NOTHING, "nothing on all CPUs");
	bench_mark(tag);
}

static void bench_messages(uint32_t groups, uint32_t loops)
{
	int failed;

	begin_machine(TAG_MESSAGES);
	failed = run_messages(groups, loops);
	bench_mark(TAG_MACHINE);
	ASSERT(!failed);
	name_tag(TAG_MESSAGES, "messages");
}

/*
 * A kernel thread that stays on one CPU and has a space loaded whenever it runs, as a user's thread
 * would, and that CPU is idle whenever it waits.
 */
struct worker {
	struct space *space;
	uint32_t loops;
	int in, out; /* channels */
	int begins;
};

static struct worker workers[MAX_CPUS];
static struct latch workers_done;

static void worker_loads(struct space *space)
{
	uint64_t irq = arch_irq_save();

	arch_current()->space = space;
	if (space)
		ktlb_switch(&space->ktlb);
	else
		ktlb_enter_lazy();
	arch_irq_restore(irq);
}

static void run_workers(const char *name, void (*run)(void *arg), uint32_t count)
{
	workers_done.missing = count;
	for (uint32_t cpu = 0; cpu < count; cpu++)
		kthread_create(name, run, &workers[cpu], (int32_t)cpu);
	latch_wait(&workers_done);
}

/* ---- O4: a request, a response, and idle in between -------------------------------------------*/

static void half_of_pair(void *arg)
{
	struct worker *me = arg;
	struct message message = {{0}};

	worker_loads(me->space);
	for (uint32_t i = 0; i < me->loops; i++) {
		if (me->begins)
			ASSERT(!channel_send((uint32_t)me->out, &message));
		ASSERT(!channel_receive((uint32_t)me->in, &message));
		ASSERT(message.word[0] == i);
		message.word[0] += (uint64_t)me->begins;
		if (!me->begins)
			ASSERT(!channel_send((uint32_t)me->out, &message));
	}
	worker_loads(NULL);
	latch_done(&workers_done);
}

/* A pair is two neighbouring CPUs, each with a space of its own. */
static void bench_pairs(uint32_t loops)
{
	static struct space spaces[MAX_CPUS];
	uint32_t halves = cpu_count / 2 * 2;

	ASSERT(halves);
	for (uint32_t i = 0; i < halves; i++) {
		vm_create(&spaces[i]);
		workers[i] = (struct worker){
			.space = &spaces[i], .loops = loops, .in = channel_create()};
		ASSERT(workers[i].in >= 0);
	}
	for (uint32_t i = 0; i < halves; i++) {
		workers[i].out = workers[i ^ 1].in;
		workers[i].begins = i % 2 == 0;
	}
	begin_machine(TAG_PAIRS);
	run_workers("half of a pair", half_of_pair, halves);
	bench_mark(TAG_MACHINE);
	name_tag(TAG_PAIRS, "pairs");
	for (uint32_t i = 0; i < halves; i++) {
		channel_destroy((uint32_t)workers[i].in);
		vm_destroy(&spaces[i]);
	}
}

/* ---- O5: a storm of flushes -------------------------------------------------------------------*/

/* All of the process is counted, its end included, at which each CPU is asked to let go of it. */
static void bench_storm(uint32_t loops)
{
	struct ktlb_stats before = {{0}}, after = {{0}};
	int process, failed;

	ASSERT(KTLB_CFG_COUNT);
	ktlb_stats_add(&before);
	process = process_spawn(PROGRAM_GIVE_BACK, cpu_count | (uint64_t)loops << 32);
	failed = process < 0 || process_wait((uint32_t)process);
	ktlb_stats_add(&after);
	ASSERT(!failed);
	for (uint32_t i = 0; i < KTLB_COUNTERS; i++)
		kprintf("bench: counter %s is %lu\n", ktlb_counter_name((enum ktlb_counter)i),
		        after.count[i] - before.count[i]);
	kprintf("bench: counter iterations is %u\n", loops * cpu_count);
}

/* ---- time -------------------------------------------------------------------------------------*/

#define TIMED_CALLS 10000u

static void idle_round_trip(void)
{
	ktlb_switch(&space_a);
	ktlb_enter_lazy();
}

/* The mean of many calls; what the loop itself takes is part of it. */
static void time_calls(const char *name, bench_function function)
{
	uint64_t irq = arch_irq_save();
	uint64_t ticks;

	function();
	ticks = arch_clock();
	for (uint32_t i = 0; i < TIMED_CALLS; i++)
		function();
	ticks = arch_clock() - ticks;
	arch_irq_restore(irq);
	kprintf("bench: %lu ps is %s\n",
	        ticks * 1000000 / (arch_clock_hz() / 1000000) / TIMED_CALLS, name);
}

static void bench_time(void)
{
	ktlb_space_init(&space_a, arch_empty_root());
	time_calls("seven nops", bench_seven_nops);
	time_calls("cpu id call", (bench_function)cpu_id_call);
	time_calls("idle round trip", idle_round_trip);
	ktlb_space_destroy(&space_a);
}

void bench_main(const char *cmdline)
{
	repeat(TAG_NOTHING, "nothing", NULL);
	if (cmdline_number(cmdline, "micro", 0))
		bench_micro();
	if (cmdline_number(cmdline, "messages", 0))
		bench_messages((uint32_t)cmdline_number(cmdline, "groups", 1),
		               (uint32_t)cmdline_number(cmdline, "loops", 100));
	if (cmdline_number(cmdline, "pairs", 0))
		bench_pairs((uint32_t)cmdline_number(cmdline, "loops", 100));
	if (cmdline_number(cmdline, "storm", 0))
		bench_storm((uint32_t)cmdline_number(cmdline, "loops", 100));
	if (cmdline_number(cmdline, "time", 0))
		bench_time();
	kprintf("bench: done\n");
}
