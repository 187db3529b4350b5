/* SPDX-License-Identifier: MIT */
/*
 * The start. The boot CPU prepares everything for all CPUs, starts ktlb, then the others one after
 * the other; each brings itself into ktlb and becomes its own idle thread. The work is done by a
 * kernel thread, "main", which also ends the run.
 *
 * The command line is words:
 *   test          the boot tests (the default); test=NAME: one of them
 *   bench         the measurements instead; their words are theirs
 *   ids=N full=N                         ktlb_config: id_limit, full_flush_strides
 *   norange nottl repeat                 arm64: without, errata
 *   noerrata                             none is worked around, whatever the CPUs say
 *   nopcid noinvpcid noglobal            x86-64: without
 *   phase=N       the timer's first tick comes N thirds of a period later
 *   rounds=N      longer tests
 *   deadline=S silent=S hang      the watchdog
 */
#include <arch.h>

/*
 * The time slice. Long for an emulator's sake: its CPUs take turns on fewer of the host's, and a
 * tick costs as much there as thousands of instructions.
 */
#define TICKS_PER_SECOND 500

#define DEADLINE_SECONDS 120
#define SILENT_SECONDS   10

struct options options;
uint32_t cpu_count;
uintptr_t percpu_offset[MAX_CPUS];

/* The first thread, which becomes the boot CPU's idle thread. */
struct thread_block boot_block;

static char cmdline[256];
static uint32_t cpus_online;

/* ---- the command line -------------------------------------------------------------------------*/

static const char *const known_words[] = {
	"test",     "bench",    "ids",    "full",  "norange", "nottl",    "nopcid", "noinvpcid",
	"noglobal", "noerrata", "repeat", "phase", "rounds",  "deadline", "silent", "hang",
};

/* Does the word that begins here have this name? Then where the name ends, else null. */
static const char *word_is(const char *word, const char *name)
{
	while (*name && *word == *name)
		word++, name++;
	return !*name && (*word == '\0' || *word == ' ' || *word == '=') ? word : NULL;
}

static const char *next_word(const char *line)
{
	while (*line && *line != ' ')
		line++;
	while (*line == ' ')
		line++;
	return line;
}

/* What follows `name` in a word of the line: "" or "=...". Null if there is no such word. */
static const char *find_word(const char *line, const char *name)
{
	for (; *line; line = next_word(line))
		if (word_is(line, name))
			return word_is(line, name);
	return NULL;
}

/* A word that is misspelt must not go unnoticed: the run would not be what it was meant to be. */
static void check_words(void)
{
	for (const char *line = cmdline; *line; line = next_word(line)) {
		uint32_t i = 0;

		while (i < ARRAY_LENGTH(known_words) && !word_is(line, known_words[i]))
			i++;
		if (i == ARRAY_LENGTH(known_words))
			panic("command line: unknown word: %s", line);
	}
}

uint64_t cmdline_number(const char *line, const char *name, uint64_t otherwise)
{
	const char *word = find_word(line, name);
	uint64_t value = 0;

	if (!word)
		return otherwise;
	if (*word != '=')
		return 1;
	for (word++; *word && *word != ' '; word++) {
		if (*word < '0' || *word > '9')
			panic("command line: %s= wants a number", name);
		value = value * 10 + (uint64_t)(*word - '0');
	}
	return value;
}

/* A copy of the value of "test=NAME", or null. */
static const char *test_name(void)
{
	static char name[32];
	const char *word = find_word(cmdline, "test");
	size_t i = 0;

	if (!word || *word != '=')
		return NULL;
	for (word++; *word && *word != ' ' && i < sizeof(name) - 1; word++)
		name[i++] = *word;
	return name;
}

static void read_options(void)
{
	arch_cmdline(cmdline, sizeof(cmdline));
	options.test = test_name();
	options.bench = cmdline_number(cmdline, "bench", 0);
	options.ids = cmdline_number(cmdline, "ids", 0);
	options.full = cmdline_number(cmdline, "full", 0);
	options.norange = cmdline_number(cmdline, "norange", 0);
	options.nottl = cmdline_number(cmdline, "nottl", 0);
	options.nopcid = cmdline_number(cmdline, "nopcid", 0);
	options.noinvpcid = cmdline_number(cmdline, "noinvpcid", 0);
	options.noglobal = cmdline_number(cmdline, "noglobal", 0);
	options.noerrata = cmdline_number(cmdline, "noerrata", 0);
	options.repeat = cmdline_number(cmdline, "repeat", 0);
	options.phase = cmdline_number(cmdline, "phase", 0);
	options.rounds = cmdline_number(cmdline, "rounds", 1);
	options.deadline = cmdline_number(cmdline, "deadline", DEADLINE_SECONDS);
	options.silent = cmdline_number(cmdline, "silent", SILENT_SECONDS);
	options.hang = cmdline_number(cmdline, "hang", 0);
	if (!options.bench)
		check_words();
}

/* ---- per-CPU variables ------------------------------------------------------------------------*/

extern char percpu_start[], percpu_end[];

/* A copy of the originals for each CPU; the originals themselves are used by none. */
static void percpu_init(void)
{
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		char *copy = memory_alloc((uint64_t)(percpu_end - percpu_start), PAGE_SIZE);

		for (long i = 0; i < percpu_end - percpu_start; i++)
			copy[i] = percpu_start[i];
		percpu_offset[cpu] = (uintptr_t)copy - (uintptr_t)percpu_start;
	}
}

/* ---- the CPUs ---------------------------------------------------------------------------------*/

static void main_thread(void *arg)
{
	(void)arg;
	watchdog_start();
	if (options.hang)
		watchdog_hang();
	if (options.bench) {
		watchdog_task("the measurements");
		bench_main(cmdline);
		arch_exit(0);
	}
	arch_exit(test_main());
}

/* What every CPU does once it has ktlb's CPU number: on its first thread, interrupts off. */
static void start_this_cpu(void)
{
	uint64_t period = arch_clock_hz() / TICKS_PER_SECOND;

	port_start_ktlb_cpu(arch_current()->ktlb.cpu);
	sched_init_cpu(arch_current());
	arch_interrupts_init();
	arch_timer_start(period + options.phase * period / 3, period);
	sched_cpu_is_on();
	__atomic_fetch_add(&cpus_online, 1, __ATOMIC_RELEASE);
}

/*
 * What flushes cost here decides from now on how many pages are flushed one by one. Under an emulator
 * that shows that the way works, and nothing of any machine.
 */
static void calibrate(void)
{
#if KTLB_CFG_CLOCK
	struct ktlb_costs costs = ktlb_calibrate(percpu_start, 16 * PAGE_SIZE);

	kprintf("# costs: page %u, full %u, refill %u; %u pages one by one\n", costs.page,
	        costs.full, costs.refill, ktlb_full_flush_strides() - 1);
#endif
}

void kernel_start_cpu(void)
{
	start_this_cpu();
	sched_idle();
}

void kernel_start(void)
{
	uint32_t cpus;

	boot_block.thread.ktlb.cpu = 0;
	page_init();
	read_options();
	cpus = arch_count_cpus();
	cpu_count = cpus;
	percpu_init();
	port_start_ktlb();
	start_this_cpu();
	calibrate();

	for (uint32_t cpu = 1; cpu < cpus; cpu++) {
		struct thread *idle = thread_prepare("idle");

		idle->state = THREAD_RUNNING;
		idle->ktlb.cpu = cpu;
		arch_start_cpu(cpu, idle);
		while (__atomic_load_n(&cpus_online, __ATOMIC_ACQUIRE) != cpu + 1) {
			ktlb_poll();
			ktlb_relax();
		}
	}
	kthread_create("main", main_thread, NULL, -1);
	sched_idle();
}

void kernel_tick(void)
{
	watchdog_tick();
	sched_tick();
}
