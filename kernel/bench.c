/* SPDX-License-Identifier: MIT */
/*
 * The measurements, one for each origin. The kernel counts nothing itself: it marks where a
 * measurement begins and ends, and a plugin of the emulator (tools/count) counts what is executed
 * in between. lab/demo.py reads both and makes the tables.
 *
 * Each measurement has a number, its tag, which the marks carry; a line on the console says what the
 * tag stands for. Two of them measure nothing at all: the cost of the marks, to be subtracted.
 *
 *   bench micro             one call each, interrupts off, repeated: every repeat must be identical
 *   bench messages          the messaging load, the whole machine; groups=G loops=L
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
	TAG_ENTER_LAZY,
	TAG_CPU_ID_CALL,
	TAG_CPU_ID_INLINED,
	TAG_NO_CPU_ID,
	TAG_FLUSH, /* and one for each stride and count of pages */

	TAG_MACHINE = 512,
	TAG_MESSAGES,
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

/* ---- O1: the switch ---------------------------------------------------------------------------*/

static void call_switch(uint64_t tag, struct ktlb_space *next)
{
	const uint64_t argument[CALL_ARGUMENTS] = {(uintptr_t)next};

	bench_call(tag, (bench_function)ktlb_switch, argument);
}

/*
 * Both spaces have ids from the first two switches on, and must have the same ones at the end: each
 * switch that was measured was a hit. Leaves the CPU lazy, as the scheduler believes it to be.
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
		call_switch(TAG_SWITCH_HIT, i % 2 ? &space_b : &space_a);
		call_switch(TAG_SWITCH_SAME, i % 2 ? &space_b : &space_a);
	}
	for (uint32_t i = 0; i < REPEATS; i++) {
		ktlb_switch(&space_a);
		bench_call(TAG_ENTER_LAZY, ktlb_enter_lazy, none);
	}
	arch_irq_restore(irq);
	ASSERT(ktlb_space_id(&space_a) == id_a && ktlb_space_id(&space_b) == id_b);

	name_tag(TAG_SWITCH_HIT, "switch hit");
	name_tag(TAG_SWITCH_SAME, "switch to the space that is loaded");
	name_tag(TAG_ENTER_LAZY, "enter lazy");
}

/* ---- O2: flushes ------------------------------------------------------------------------------*/

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
	bench_flushes();
	bench_cpu_id();
	ktlb_space_destroy(&space_b);
	ktlb_space_destroy(&space_a);
}

static void bench_messages(uint32_t groups, uint32_t loops)
{
	uint64_t irq = arch_irq_save();
	int failed;

	bench_mark(TAG_MACHINE_NOTHING);
	bench_mark(TAG_MACHINE);
	arch_irq_restore(irq);
	name_tag(TAG_MACHINE_NOTHING, "nothing on all CPUs");

	bench_mark(TAG_MESSAGES);
	failed = run_messages(groups, loops);
	bench_mark(TAG_MACHINE);
	ASSERT(!failed);
	name_tag(TAG_MESSAGES, "messages");
}

void bench_main(const char *cmdline)
{
	repeat(TAG_NOTHING, "nothing", NULL);
	if (cmdline_number(cmdline, "micro", 0))
		bench_micro();
	if (cmdline_number(cmdline, "messages", 0))
		bench_messages((uint32_t)cmdline_number(cmdline, "groups", 1),
		               (uint32_t)cmdline_number(cmdline, "loops", 100));
	kprintf("bench: done\n");
}
