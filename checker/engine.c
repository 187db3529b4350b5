/* SPDX-License-Identifier: MIT */
/*
 * One engine: the library of one architecture and option set, perhaps with one mutation, the machine and
 * the scenarios. ktlb-check starts as many as there are CPUs and reads what they print: lines of fields
 * with tabs in between (see usage below). It is not meant for people.
 *
 * A run belongs to a machine and a variant of its scenario, which follow from its number; a run is
 * told by its tail:
 *   r.SEED.RUN  p.SEED.RUN    random, PCT
 *   x.SETTING.TAPE            exhaustive: the choices that are not 0, of machine and variant number SETTING
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "mem.h"
#include "oracle.h"
#include "tlb.h"
#include "trace.h"
#include "world.h"

static const struct scenario *scenario;
static struct sim_search search = {.preemptions = 2, .oddities = 2};
static uint64_t first_run, runs = 1000, done_runs, done_events, whole_hash;
static double seconds_limit;
static int stop_at_first;
static char *pristine;

struct found {
	const char *name;
	uint64_t count, first;
	char tail[4200];
	char text[400];
};
static struct found found[16];
static struct {
	const char *name;
	uint64_t count;
} reached[5];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- settings: machine and variant ------------------------------------------------------------*/

static unsigned machine_list[16], machine_count;

static void list_machines(void)
{
	machine_count = 0;
	for (unsigned m = 0; m < sim_machines; m++)
		if (!scenario->machines || scenario->machines >> m & 1)
			machine_list[machine_count++] = m;
}

static unsigned settings(void)
{
	return machine_count * scenario->variants;
}

static void set_up(unsigned setting)
{
	size_t size = (size_t)(sim_data_end - sim_data_start);
	unsigned variant = setting / machine_count;

	if (!pristine) {
		pristine = malloc(size);
		if (!pristine)
			abort();
		memcpy(pristine, sim_data_start, size);
	}
	memcpy(sim_data_start, pristine, size);
	sim_cur = 0;
	mem_start();
	mem_forget_ptes();
	tlb_begin();
	trace_forget_names();
	oracle_begin_world();
	sim_cpus_begin(scenario->cpus);
	sim_machine(machine_list[setting % machine_count]);
	sim_arch_reset();
	if (scenario->before)
		scenario->before(variant);
	world_begin(scenario->cpus);
	scenario->setup(variant);
	world_ready();
	sim_snapshot();
}

/* A violation in set-up is the only run's. */
static int set_up_is_violated(unsigned setting)
{
	jmp_buf violated_here;

	memset(&sim_result, 0, sizeof(sim_result));
	sim_setup_violated = &violated_here;
	if (!setjmp(violated_here)) {
		set_up(setting);
		sim_setup_violated = 0;
		return 0;
	}
	sim_setup_violated = 0;
	return 1;
}

/* ---- runs -------------------------------------------------------------------------------------*/

static void one_run(void)
{
	const char *wrong;

	sim_reset();
	oracle_reset();
	sim_run();
	sim_cur = 0;
	if (!sim_result.violation) {
		wrong = scenario->end ? scenario->end() : 0;
		if (!wrong)
			wrong = world_end();
		if (wrong) {
			sim_result.violation = "audit";
			snprintf(sim_result.text, sizeof(sim_result.text), "%s", wrong);
		}
	}
	done_runs++;
	done_events += sim_result.events;
	/* A sum: shards add up, in any order. */
	whole_hash += (sim_hash ^ search.run) * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < 5 && scenario->reach[i]; i++) {
		reached[i].name = scenario->reach[i];
		for (int c = 0; c < KTLB_COUNTERS; c++)
			if (!strcmp(reached[i].name, ktlb_counter_name((enum ktlb_counter)c)))
				reached[i].count += world_count((enum ktlb_counter)c);
	}
}

static void write_tail(char *tail, size_t size, unsigned setting)
{
	if (search.strategy == SIM_EXHAUSTIVE)
		snprintf(tail, size, "x.%u.%s", setting, sim_search_tape());
	else
		snprintf(tail, size, "%c.%" PRIu64 ".%" PRIu64,
		         search.strategy == SIM_PCT ? 'p' : 'r', search.seed, search.run);
}

static void note_violation(unsigned setting)
{
	struct found *f = found;

	while (f->name && strcmp(f->name, sim_result.violation) && f < &found[15])
		f++;
	if (!f->name) {
		f->name = sim_result.violation;
		f->first = search.strategy == SIM_EXHAUSTIVE ? done_runs : search.run + 1;
		write_tail(f->tail, sizeof(f->tail), setting);
		snprintf(f->text, sizeof(f->text), "%s", sim_result.text);
	} else if (search.strategy != SIM_EXHAUSTIVE && search.run + 1 < f->first) {
		f->first = search.run + 1;
		write_tail(f->tail, sizeof(f->tail), setting);
		snprintf(f->text, sizeof(f->text), "%s", sim_result.text);
	}
	f->count++;
}

static uint64_t too_long, expected;

/* Too long is what a random run may be, and some scenarios are about what must be found. */
static int violated(void)
{
	if (!sim_result.violation)
		return 0;
	if (!strcmp(sim_result.violation, "limit")) {
		too_long++;
		return 0;
	}
	if (scenario->expects && !strcmp(sim_result.violation, scenario->expects)) {
		expected++;
		return 0;
	}
	return 1;
}

static int out_of_time(double began, double *told)
{
	double t;

	if (done_runs % 64)
		return 0;
	t = now();
	if (t - *told >= 1) {
		printf("at\t%" PRIu64 "\t%" PRIu64 "\n", done_runs, done_events);
		fflush(stdout);
		*told = t;
	}
	return seconds_limit > 0 && t - began >= seconds_limit;
}

/*
 * Random and PCT: setting by setting in blocks, so that a set-up serves many runs; run r has setting
 * r % settings.
 */
#define BLOCK 4096

static int draw_lots(double began)
{
	double told = began;
	unsigned n = settings();

	for (uint64_t from = first_run; from < first_run + runs; from += BLOCK * n) {
		uint64_t to = from + BLOCK * n;

		if (to > first_run + runs)
			to = first_run + runs;
		for (unsigned i = 0; i < n; i++) {
			unsigned setting = (unsigned)((from + i) % n);

			if (from + i >= to)
				break;
			if (set_up_is_violated(setting)) {
				search.run = from + i;
				done_runs++;
				note_violation(setting);
				if (stop_at_first)
					return 1;
				continue;
			}
			for (uint64_t run = from + i; run < to; run += n) {
				search.run = run;
				sim_search_begin(&search);
				one_run();
				if (violated()) {
					note_violation(setting);
					if (stop_at_first)
						return 1;
				}
				if (out_of_time(began, &told))
					return 0;
			}
		}
	}
	return 1;
}

static int exhaust(double began)
{
	double told = began;

	for (unsigned setting = 0; setting < settings(); setting++) {
		sim_search_restart();
		if (set_up_is_violated(setting)) {
			done_runs++;
			note_violation(setting);
			if (stop_at_first)
				return 0;
			continue;
		}
		while (sim_search_begin(&search)) {
			one_run();
			if (violated()) {
				note_violation(setting);
				if (stop_at_first)
					return 0;
			}
			if (done_runs >= runs || out_of_time(began, &told))
				return 0;
		}
	}
	return 1;
}

static int hunt(void)
{
	double began = now();
	int finished = search.strategy == SIM_EXHAUSTIVE ? exhaust(began) : draw_lots(began);
	int any = 0;

	for (unsigned i = 0; i < 5 && scenario->reach[i]; i++) {
		uint64_t count = reached[i].count;

		for (unsigned j = 0; j < 32 && oracle_reach[j].name; j++)
			if (!strcmp(oracle_reach[j].name, scenario->reach[i]))
				count += oracle_reach[j].count;
		printf("reach\t%s\t%" PRIu64 "\n", scenario->reach[i], count);
	}
	if (scenario->expects)
		printf("reach\tfound %s\t%" PRIu64 "\n", scenario->expects, expected);
	if (too_long)
		printf("reach\t(too-long)\t%" PRIu64 "\n", too_long);
	for (struct found *f = found; f->name; f++) {
		printf("violation\t%s\t%" PRIu64 "\t%s\t%s\n", f->name, f->first, f->tail, f->text);
		any = 1;
	}
	printf("done\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%d\t%016" PRIx64 "\n", done_runs, done_events,
	       now() - began, finished, whole_hash);
	return any;
}

/* ---- replay -----------------------------------------------------------------------------------*/

static int replay(const char *tail, const char *trace_file)
{
	char *end;
	unsigned setting;

	if ((tail[0] == 'r' || tail[0] == 'p') && tail[1] == '.') {
		search.strategy = tail[0] == 'p' ? SIM_PCT : SIM_RANDOM;
		search.seed = strtoull(tail + 2, &end, 10);
		if (*end != '.')
			return 2;
		search.run = strtoull(end + 1, &end, 10);
		setting = (unsigned)(search.run % settings());
	} else if (tail[0] == 'x' && tail[1] == '.') {
		search.strategy = SIM_REPLAY_TAPE;
		setting = (unsigned)strtoul(tail + 2, &end, 10);
		if (*end != '.' || setting >= settings())
			return 2;
		search.tape = end + 1;
	} else {
		return 2;
	}
	trace_begin();
	if (!set_up_is_violated(setting)) {
		sim_tracing = 1;
		sim_search_begin(&search);
		one_run();
	}
	printf("scenario %s, %s, machine \"%s\", variant %u, memory model %s\n", scenario->name,
	       scenario->text, sim_machine_name[machine_list[setting % machine_count]],
	       setting / machine_count, sim_model_name[sim_model]);
	trace_print(stdout);
	printf("%s%s%s\n", sim_result.violation ? sim_result.violation : "no violation",
	       sim_result.violation ? ": " : "", sim_result.text);
	if (trace_file) {
		FILE *to = fopen(trace_file, "w");

		if (!to) {
			fprintf(stderr, "ktlb-check: cannot write %s: %s\n", trace_file,
			        strerror(errno));
			return 2;
		}
		trace_write_json(to);
		fclose(to);
	}
	return violated() ? 1 : 0;
}

/* ---- command line -----------------------------------------------------------------------------*/

static unsigned this_arch(void)
{
	return strcmp(sim_arch, "arm64") ? FOR_X86_64 : FOR_ARM64;
}

static int list(void)
{
	for (const struct scenario *const *s = scenario_first; s < scenario_last; s++)
		if ((*s)->arches & this_arch() && (*s)->cpus <= SIM_CPUS)
			printf("%s\t%s\t%s\t%s\n", (*s)->name, (*s)->small ? "small" : "large",
			       (*s)->expects ? "wrong" : "right", (*s)->text);
	return 0;
}

static int find_scenario(const char *name)
{
	for (const struct scenario *const *s = scenario_first; s < scenario_last; s++)
		if (!strcmp((*s)->name, name) && ((*s)->arches & this_arch()) &&
		    (*s)->cpus <= SIM_CPUS)
			scenario = *s;
	return scenario != 0;
}

static int usage(const char *what, const char *value)
{
	fprintf(stderr, "ktlb-check engine: %s%s%s\n", what, value ? ": " : "", value ? value : "");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"list", no_argument, 0, 'l'},           {"litmus", no_argument, 0, 'L'},
		{"scenario", required_argument, 0, 's'}, {"memory", required_argument, 0, 'm'},
		{"strategy", required_argument, 0, 'y'}, {"seed", required_argument, 0, 'e'},
		{"first", required_argument, 0, 'f'},    {"runs", required_argument, 0, 'n'},
		{"seconds", required_argument, 0, 't'},  {"preemptions", required_argument, 0, 'k'},
		{"oddities", required_argument, 0, 'o'}, {"stop-at-first", no_argument, 0, '1'},
		{"replay", required_argument, 0, 'r'},   {"trace", required_argument, 0, 'T'},
		{"lanes", no_argument, 0, 'a'},          {0, 0, 0, 0}};
	static const char *const strategies[] = {"random", "pct", "exhaustive"};
	const char *tail = 0, *trace_file = 0, *name = 0;
	unsigned i;
	int c;

	while ((c = getopt_long(argc, argv, "", options, 0)) != -1) {
		switch (c) {
		case 'l':
			return list();
		case 'L':
			return engine_litmus(argc - optind, argv + optind);
		case 's':
			name = optarg;
			break;
		case 'm':
			for (i = 0; i < SIM_MODELS && strcmp(optarg, sim_model_name[i]); i++)
				;
			if (i == SIM_MODELS)
				return usage("no memory model", optarg);
			sim_model = (enum sim_model)i;
			break;
		case 'y':
			for (i = 0; i < 3 && strcmp(optarg, strategies[i]); i++)
				;
			if (i == 3)
				return usage("no strategy", optarg);
			search.strategy = (enum sim_strategy)i;
			break;
		case 'e':
			search.seed = strtoull(optarg, 0, 10);
			break;
		case 'f':
			first_run = strtoull(optarg, 0, 10);
			break;
		case 'n':
			runs = strtoull(optarg, 0, 10);
			break;
		case 't':
			seconds_limit = atof(optarg);
			break;
		case 'k':
			search.preemptions = (unsigned)atoi(optarg);
			break;
		case 'o':
			search.oddities = (unsigned)atoi(optarg);
			break;
		case '1':
			stop_at_first = 1;
			break;
		case 'r':
			tail = optarg;
			break;
		case 'T':
			trace_file = optarg;
			break;
		case 'a':
			break;
		default:
			return 2;
		}
	}
	if (!name || !find_scenario(name))
		return usage("no scenario", name ? name : "(none given)");
	/* That option relies on multi-copy atomicity, which arm64 has and C11 does not promise. */
	if (KTLB_CFG_ARM64_LOCAL && sim_model == SIM_WEAK_C11)
		sim_model = SIM_WEAK;
	list_machines();
	if (tail) {
		int status = replay(tail, trace_file);

		return status == 2 ? usage("no run of this scenario", tail) : status;
	}
	return hunt();
}
