/* SPDX-License-Identifier: MIT */
/*
 * Runs litmus tests, and prints a line for each test and model, then their sum:
 *
 *   litmus NAME MODEL allowed|forbidden SEEN RUNS NOTE
 *   done TESTS FORBIDDEN-SEEN ALLOWED ALLOWED-SEEN
 *
 * fields between tabs. NOTE is where the verdict comes from; or, of an allowed outcome that was not
 * seen, why. Exit status 1: a forbidden outcome was seen, or of the allowed ones too few.
 *
 * Translations. A CPU of the machine executes in order, but a real one may translate an address long
 * before it gets to the instruction that uses it. For each CPU there is a window: it begins with a
 * context synchronisation, with the read that an address depends on, or when another CPU's broadcast
 * TLBI is complete, since that waits for all that was translated before. A translation may be made at
 * any moment of the window: by what was cached or could be read then, or can now.
 */
#include "litmus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "mem.h"
#include "tlb.h"
#include "trace.h"

#define LEAST_SEEN_PERCENT 90   /* of the allowed outcomes */
#define RUNS               5000 /* at least; of a test whose outcome is allowed */
#define RUNS_FOR_RARE      8    /* so many times that, */
#define ENOUGH             5    /* until it was seen so often */
#define SEED               1
#define ALL_PTES           (~(uint64_t)0)

static struct window {
	uint64_t leaf[SIM_PTES], upper[SIM_PTES]; /* versions that could be cached */
	uint64_t readable[SIM_PTES];              /* that a walker could read */
} windows[SIM_CPUS];

/* The versions that this CPU has translated by since its last context synchronisation. */
#define MADE 4
static struct {
	unsigned count;
	unsigned pte[MADE], version[MADE];
} made[SIM_CPUS];

/* ---- translations -----------------------------------------------------------------------------*/

static void begin_window(uint32_t cpu, uint64_t ptes)
{
	struct window *w = &windows[cpu];

	for (unsigned pte = 0; pte < mem_ptes(); pte++) {
		if (!(ptes >> pte & 1))
			continue;
		w->leaf[pte] = tlb_usable(cpu, pte);
		w->upper[pte] = tlb_upper_usable(cpu, pte);
		w->readable[pte] = mem_pte_visible(cpu, pte);
	}
}

static void begin_windows(void)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		begin_window(cpu, ALL_PTES);
}

/* What comes later is not executed before the translations that were made. */
void litmus_synchronised(void)
{
	uint32_t cpu = sim_cur->number;

	for (unsigned i = 0; i < made[cpu].count; i++)
		mem_translated(made[cpu].pte[i], made[cpu].version[i], 1);
	made[cpu].count = 0;
	begin_window(cpu, ALL_PTES);
}

void litmus_broadcast_done(uint64_t ptes)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (cpu != sim_cur->number)
			begin_window(cpu, ptes);
}

/* What a walker could have read at some moment of the window: from the oldest of then on. */
static uint64_t read_in_window(uint32_t cpu, unsigned pte)
{
	uint64_t then = windows[cpu].readable[pte], now = mem_pte_visible(cpu, pte);
	unsigned oldest = (unsigned)__builtin_ctzll(then | now);

	return (~(uint64_t)0 << oldest) & (~(uint64_t)0 >> (63 - mem_pte_newest(pte)));
}

static uint64_t of_these(unsigned pte, uint64_t versions, int present)
{
	uint64_t found = 0;

	for (unsigned v = 0; v <= mem_pte_newest(pte); v++)
		if ((versions >> v & 1) &&
		    ((mem_pte_value(pte, v) & PTE_PRESENT) != 0) == (present != 0))
			found |= (uint64_t)1 << v;
	return found;
}

/*
 * Absent leaves that a walk through one of these upper entries could have read. A walk reads the
 * leaf after the upper entry, so not older than what that was published with.
 */
static uint64_t absent_below(uint32_t cpu, unsigned upper, uint64_t uppers, unsigned leaf)
{
	uint64_t absent = of_these(leaf, read_in_window(cpu, leaf), 0), found = 0;

	for (unsigned v = 0; v <= mem_pte_newest(upper); v++)
		if (uppers >> v & 1)
			found |= absent & ~(uint64_t)0 << mem_pte_carried(upper, v, leaf);
	return found;
}

static unsigned nth(uint64_t bits, unsigned n)
{
	while (n--)
		bits &= bits - 1;
	return (unsigned)__builtin_ctzll(bits);
}

static unsigned count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

static void translated(unsigned pte, unsigned version)
{
	uint32_t cpu = sim_cur->number;
	unsigned i = made[cpu].count < MADE ? made[cpu].count++ : MADE - 1;

	made[cpu].pte[i] = pte;
	made[cpu].version[i] = version;
	mem_translated(pte, version, 0);
	TRACE("translates by version %u of entry %u", version, pte);
}

/* The candidates: valid leaves, absent ones, absent tables. */
uint64_t litmus_translate(unsigned upper, unsigned leaf, int ordered)
{
	uint32_t cpu = sim_cur->number;
	const struct window *w = &windows[cpu];
	uint64_t uppers = w->upper[upper] | tlb_upper_usable(cpu, upper);
	uint64_t valid = w->leaf[leaf] | tlb_usable(cpu, leaf);
	uint64_t no_table = of_these(upper, read_in_window(cpu, upper), 0);
	uint64_t no_page = absent_below(cpu, upper, uppers, leaf);
	unsigned all = count(valid) + count(no_table) + count(no_page);
	unsigned choice = sim_choose(SIM_CHOOSE_OTHER, all);
	uint64_t fault;

	if (choice < count(valid)) {
		unsigned version = nth(valid, choice);

		translated(leaf, version);
		if (ordered)
			litmus_synchronised();
		return mem_pte_value(leaf, version);
	}
	choice -= count(valid);
	if (choice < count(no_page)) {
		translated(leaf, nth(no_page, choice));
		fault = LITMUS_NO_PAGE;
	} else {
		translated(upper, nth(no_table, choice - count(no_page)));
		fault = LITMUS_NO_TABLE;
	}
	sim_enter_interrupt();
	litmus_synchronised();
	return fault;
}

/* ---- runs -------------------------------------------------------------------------------------*/

static char *pristine;

static void no_switch(void *space)
{
	(void)space;
}

static void set_up(const struct litmus_test *test)
{
	size_t size = (size_t)(sim_data_end - sim_data_start);
	uint32_t cpus = 0;

	if (!pristine) {
		pristine = malloc(size);
		if (!pristine)
			abort();
		memcpy(pristine, sim_data_start, size);
	}
	memcpy(sim_data_start, pristine, size);
	while (cpus < LITMUS_THREADS && test->thread[cpus])
		cpus++;
	sim_cur = 0;
	mem_start();
	mem_forget_ptes();
	tlb_begin();
	trace_forget_names();
	sim_cpus_begin(cpus);
	sim_arch_reset();
	sim_context_switch = no_switch;
	if (test->prepare)
		test->prepare(test);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		sim_thread("thread", cpu, (uint64_t)1 << cpu, 0, test->thread[cpu], 0);
	sim_snapshot();
}

/* Was the outcome seen? Anything else that ends a run is a fault of the test. */
static int one_run(const struct litmus_test *test)
{
	sim_reset();
	memset(made, 0, sizeof(made));
	begin_windows();
	sim_run();
	sim_cur = 0;
	if (!sim_result.violation)
		return test->violation ? 0 : test->seen();
	if (test->violation && !strcmp(sim_result.violation, test->violation))
		return 1;
	fprintf(stderr, "ktlb-check engine: litmus test %s: %s: %s\n", test->name,
	        sim_result.violation, sim_result.text);
	exit(2);
}

static struct {
	unsigned tests, forbidden_seen, allowed, allowed_seen;
} sum;

static void run_test(const struct litmus_test *test, enum sim_model model, uint64_t seed,
                     uint64_t runs)
{
	struct sim_search search = {.strategy = SIM_RANDOM, .seed = seed};
	int allowed = (int)(test->allowed >> model & 1);
	const char *note = test->source;
	uint64_t seen = 0, most = allowed ? RUNS_FOR_RARE * runs : runs;

	sim_model = model;
	set_up(test);
	for (search.run = 0; search.run < most; search.run++) {
		if (search.run >= runs && seen >= ENOUGH)
			break;
		sim_search_begin(&search);
		seen += (uint64_t)one_run(test);
	}
	if (allowed && !seen && test->unshown)
		note = test->unshown;
	sum.tests++;
	sum.allowed += (unsigned)allowed;
	sum.allowed_seen += allowed && seen;
	sum.forbidden_seen += !allowed && seen;
	printf("litmus\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\n", test->name,
	       sim_model_name[model], allowed ? "allowed" : "forbidden", seen, search.run, note);
	fflush(stdout);
}

static int number(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

int engine_litmus(int argc, char **argv)
{
	uint64_t runs = RUNS, seed = SEED;

	for (int i = 0; i < argc; i += 2) {
		uint64_t *to = !strcmp(argv[i], "--runs")   ? &runs
		               : !strcmp(argv[i], "--seed") ? &seed
		                                            : 0;

		if (!to || i + 1 == argc || !number(argv[i + 1], to)) {
			fprintf(stderr, "ktlb-check engine: --litmus [--runs N] [--seed S]\n");
			return 2;
		}
	}
	for (const struct litmus_test *const *test = litmus_first; test < litmus_last; test++)
		for (unsigned model = 0; model < SIM_MODELS; model++)
			if ((*test)->models >> model & 1)
				run_test(*test, (enum sim_model)model, seed, runs);
	printf("done\t%u\t%u\t%u\t%u\n", sum.tests, sum.forbidden_seen, sum.allowed,
	       sum.allowed_seen);
	return sum.forbidden_seen || sum.allowed_seen * 100 < sum.allowed * LEAST_SEEN_PERCENT;
}
