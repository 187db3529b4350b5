/* SPDX-License-Identifier: MIT */
/*
 * The commands list, run, merge, replay and litmus.
 *
 * A run is a table of items: engine x scenario x memory model. An item's run numbers are cut into
 * jobs. What a run does depends on its number and the seed alone, so that neither the number of jobs
 * nor of shards changes what is found: a shard takes its part of each item's numbers, and the sums
 * of all shards are those of the whole. The exhaustive search has no run numbers: its items are dealt
 * out whole.
 *
 * With --seconds there is no last number: jobs are slices of time, the item that has had the fewest
 * comes next, and a shard's numbers begin far from the others'.
 */
#include "front.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS      2000
#define QUICK_RUNS        1000
#define RUNS_A_JOB        5000
#define SLICE_MOST        2.0
#define SLICE_LEAST       0.05
#define SHARD_FIRST_SHIFT 40

struct run {
	const struct settings *settings;
	struct report report;
	double began;
	unsigned jobs, jobs_done;
	uint64_t runs_done, events_done, runs_all;
	unsigned turn; /* timed: how many rounds every item has had */
	unsigned next; /* the item that may have a job to give */
	unsigned crashes;
};

/* ---- the items --------------------------------------------------------------------------------*/

static int is_timed(const struct settings *settings)
{
	return settings->seconds > 0;
}

static uint64_t runs_asked(const struct settings *settings)
{
	if (settings->runs)
		return settings->runs;
	if (is_timed(settings) || settings->strategy == STRATEGY_EXHAUSTIVE)
		return 0;
	return settings->quick ? QUICK_RUNS : DEFAULT_RUNS;
}

/* The I-th of N parts of the numbers below `runs`. */
static uint64_t shard_begin(uint64_t runs, unsigned shard, unsigned shards)
{
	return runs / shards * shard + runs % shards * shard / shards;
}

static void add_item(struct run *run, const struct engine *engine, const struct scenario *scenario,
                     const char *memory)
{
	const struct settings *settings = run->settings;
	uint64_t runs = runs_asked(settings);
	struct item *item = &run->report.item[run->report.items++];

	*item = (struct item){
		.arch = engine->arch,
		.options = engine->options,
		.mutation = engine->mutation,
		.scenario = scenario->name,
		.memory = copy_of(memory),
		.engine = engine,
	};
	if (settings->strategy == STRATEGY_EXHAUSTIVE) {
		item->runs = runs;
	} else if (is_timed(settings)) {
		item->first = (uint64_t)(settings->shard - 1) << SHARD_FIRST_SHIFT;
	} else {
		item->first = shard_begin(runs, settings->shard - 1, settings->shards);
		item->runs = shard_begin(runs, settings->shard, settings->shards) - item->first;
	}
	run->runs_all += item->runs;
}

/* Exhaustive: this shard's items out of all. */
static void deal_items(struct report *report, const struct settings *settings)
{
	unsigned kept = 0;

	if (settings->strategy != STRATEGY_EXHAUSTIVE)
		return;
	for (unsigned i = 0; i < report->items; i++)
		if (i % settings->shards == settings->shard - 1)
			report->item[kept++] = report->item[i];
	report->items = kept;
}

static void check_scenarios(const struct settings *settings, const struct catalog *catalog)
{
	for (unsigned s = 0; s < settings->scenario.count; s++) {
		int known = 0;

		for (unsigned e = 0; e < catalog->engines; e++)
			for (unsigned i = 0; i < catalog->engine[e].scenarios; i++)
				known |= strcmp(catalog->engine[e].scenario[i].name,
				                settings->scenario.item[s]) == 0;
		if (!known)
			usage("--scenario: nothing is called \"%s\" (ktlb-check list)",
			      settings->scenario.item[s]);
	}
}

static void read_catalog(struct catalog *catalog, const struct settings *settings)
{
	catalog_read(catalog, settings, settings->mutation ? "mutants" : "engines");
	for (unsigned e = 0; e < catalog->engines; e++)
		engine_read_scenarios(&catalog->engine[e]);
	check_scenarios(settings, catalog);
}

static void make_items(struct run *run, const struct catalog *catalog)
{
	const struct settings *settings = run->settings;
	unsigned most = 0;

	for (unsigned e = 0; e < catalog->engines; e++)
		most += catalog->engine[e].scenarios * MEMORIES;
	run->report.item = allocate(most * sizeof(struct item));
	for (unsigned e = 0; e < catalog->engines; e++)
		for (unsigned s = 0; s < catalog->engine[e].scenarios; s++) {
			const struct scenario *scenario = &catalog->engine[e].scenario[s];

			if (!list_has(&settings->scenario, scenario->name) ||
			    (settings->strategy == STRATEGY_EXHAUSTIVE && !scenario->small))
				continue;
			for (unsigned m = 0; m < MEMORIES; m++)
				if (list_has(&settings->memory, memory_name[m]))
					add_item(run, &catalog->engine[e], scenario,
					         memory_name[m]);
		}
	deal_items(&run->report, settings);
	if (!run->report.items)
		usage("there is nothing to do: no scenario, or none that is small enough");
}

/* ---- jobs -------------------------------------------------------------------------------------*/

/* A job: a piece of an item. */
struct piece {
	struct item *item;
	struct hunt hunt;
	struct command command;
	struct outcome outcome;
};

static double slice_of(const struct run *run)
{
	const struct settings *settings = run->settings;
	double slice = settings->seconds * settings->jobs / run->report.items;

	return slice > SLICE_MOST ? SLICE_MOST : slice < SLICE_LEAST ? SLICE_LEAST : slice;
}

static void give(struct run *run, struct job *job, struct item *item, uint64_t runs, double slice)
{
	const struct settings *settings = run->settings;
	struct piece *piece = allocate(sizeof(*piece));

	piece->item = item;
	piece->hunt = (struct hunt){
		.engine = item->engine,
		.scenario = item->scenario,
		.memory = item->memory,
		.strategy = settings->strategy,
		.seed = settings->seed,
		.first = item->first + item->given,
		.runs = runs,
		.seconds = slice,
		.preemptions = settings->preemptions,
		.oddities = settings->oddities,
	};

	hunt_command(&piece->hunt, &piece->command);
	job->subject = piece;
	job->command = &piece->command;
	item->given += runs;
	run->jobs++;
}

static int next_of_runs(struct run *run, struct job *job)
{
	for (; run->next < run->report.items; run->next++) {
		struct item *item = &run->report.item[run->next];
		uint64_t left = item->runs - item->given;

		if (left == 0)
			continue;
		give(run, job, item, left < RUNS_A_JOB ? left : RUNS_A_JOB, 0);
		return 1;
	}
	return 0;
}

static int next_of_searches(struct run *run, struct job *job)
{
	const struct settings *settings = run->settings;
	struct item *item;

	if (run->next == run->report.items)
		return 0;
	item = &run->report.item[run->next++];
	give(run, job, item, item->runs, settings->seconds);
	return 1;
}

/* A slice for each item in turn, until the time is over; each gets one. */
static int next_in_time(struct run *run, struct job *job)
{
	struct item *item;

	if (run->next == run->report.items) {
		run->next = 0;
		run->turn++;
	}
	if (run->turn && now() - run->began >= run->settings->seconds)
		return 0;
	item = &run->report.item[run->next++];
	/* Its last slice is not over, and with it the number to go on from is not known. */
	if (item->outcome.runs != item->given)
		return 0;
	give(run, job, item, 0, slice_of(run));
	item->given = UINT64_MAX;
	return 1;
}

static int next_job(void *context, struct job *job)
{
	struct run *run = context;

	if (run->settings->strategy == STRATEGY_EXHAUSTIVE)
		return next_of_searches(run, job);
	return is_timed(run->settings) ? next_in_time(run, job) : next_of_runs(run, job);
}

static void take_line(void *context, struct job *job, char *line)
{
	struct piece *piece = job->subject;

	(void)context;
	outcome_take(&piece->outcome, &piece->hunt, line);
}

static void say_crash(struct run *run, const struct piece *piece, const char *why)
{
	const struct item *item = piece->item;

	if (run->crashes++ == 0)
		fputc('\n', stdout);
	printf("CRASH      %s, scenario %s, memory %s, seed %" PRIu64 ": the engine %s after run "
	       "%" PRIu64 "\n          ",
	       item->engine->name, item->scenario, item->memory, run->settings->seed, why,
	       piece->hunt.first + piece->outcome.runs_now);
	for (unsigned i = 0; piece->command.argument[i]; i++)
		printf(" %s", piece->command.argument[i]);
	fputc('\n', stdout);
}

static void end_job(void *context, struct job *job, int status)
{
	struct run *run = context;
	struct piece *piece = job->subject;
	char *why = why_ended(status);

	if (!why && piece->outcome.error)
		why = text_of("said \"%s\"", piece->outcome.error);
	if (!why && !piece->outcome.done)
		why = copy_of("said nothing");
	if (why)
		say_crash(run, piece, why);
	outcome_add(&piece->item->outcome, &piece->outcome);
	if (is_timed(run->settings))
		piece->item->given = piece->item->outcome.runs;
	run->jobs_done++;
	run->runs_done += piece->outcome.runs;
	run->events_done += piece->outcome.events;
	outcome_clear(&piece->outcome);
	free(piece);
	free(why);
}

static double progress(void *context, char *text, size_t size)
{
	struct run *run = context;
	double passed = now() - run->began;
	char runs[16], rate[16];

	snprintf(text, size, "%s runs in %u jobs, %s runs/s",
	         short_number((double)run->runs_done, runs, sizeof(runs)), run->jobs_done,
	         short_number((double)run->runs_done / passed, rate, sizeof(rate)));
	if (is_timed(run->settings))
		return passed / run->settings->seconds;
	if (run->settings->strategy == STRATEGY_EXHAUSTIVE)
		return (double)run->jobs_done / run->report.items;
	return (double)run->runs_done / (double)run->runs_all;
}

int command_run(const struct settings *settings)
{
	struct run run = {.settings = settings, .began = now()};
	struct pool pool = {settings->jobs, &run, next_job, take_line, end_job, progress};
	struct catalog catalog;
	int code;

	read_catalog(&catalog, settings);
	make_items(&run, &catalog);
	run.report.strategy = strategy_name[settings->strategy];
	run.report.seed = settings->seed;
	run.report.preemptions = settings->preemptions;
	run.report.oddities = settings->oddities;
	run.report.shard = settings->shard;
	run.report.shards = settings->shards;
	pool_run(&pool);
	run.report.seconds = now() - run.began;
	if (settings->json)
		report_write(&run.report, settings->json);
	code = report_print(&run.report, settings);
	return run.crashes ? EXIT_VIOLATION : code;
}

int command_merge(const struct settings *settings)
{
	struct report report = {0};

	for (int i = 0; i < settings->arguments; i++)
		report_read(&report, settings->argument[i]);
	if (settings->json)
		report_write(&report, settings->json);
	return report_print(&report, settings);
}

/* ---- list -------------------------------------------------------------------------------------*/

static int first_with(const struct catalog *catalog, unsigned engine, const char *scenario)
{
	for (unsigned e = 0; e < engine; e++)
		for (unsigned s = 0; s < catalog->engine[e].scenarios; s++)
			if (strcmp(catalog->engine[e].scenario[s].name, scenario) == 0)
				return 0;
	return 1;
}

/* The architectures that have it. */
static const char *arches_of(const struct catalog *catalog, const char *scenario)
{
	char *text = copy_of("");

	for (unsigned e = 0; e < catalog->engines; e++)
		for (unsigned s = 0; s < catalog->engine[e].scenarios; s++)
			if (strcmp(catalog->engine[e].scenario[s].name, scenario) == 0 &&
			    !strstr(text, catalog->engine[e].arch))
				text = text_of("%s%s%s", text, *text ? " " : "",
				               catalog->engine[e].arch);
	return text;
}

int command_list(const struct settings *settings)
{
	struct catalog catalog;

	read_catalog(&catalog, settings);
	for (unsigned e = 0; e < catalog.engines; e++)
		for (unsigned s = 0; s < catalog.engine[e].scenarios; s++) {
			const struct scenario *scenario = &catalog.engine[e].scenario[s];

			if (first_with(&catalog, e, scenario->name))
				printf("%-26s %-13s %-6s %s\n", scenario->name,
				       arches_of(&catalog, scenario->name),
				       scenario->small ? "small" : "large", scenario->text);
		}
	printf("\nengines:");
	for (unsigned e = 0; e < catalog.engines; e++)
		printf(" %s", catalog.engine[e].name);
	printf("\nmemory models:");
	for (unsigned m = 0; m < MEMORIES; m++)
		printf(" %s", memory_name[m]);
	printf("\nsmall: the exhaustive search applies\n");
	return EXIT_CLEAN;
}

/* ---- replay -----------------------------------------------------------------------------------*/

static void put_line(void *context, char *line)
{
	(void)context;
	puts(line);
}

int command_replay(const struct settings *settings)
{
	struct command command;
	char *why;
	int status;

	replay_command(settings, settings->argument[0], &command);
	status = run_lines(command.argument, put_line, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE)
		return EXIT_USAGE; /* the engine has said why */
	why = why_ended(status);
	if (why)
		usage("%s: %s", command.argument[0], why);
	return status ? EXIT_VIOLATION : EXIT_CLEAN;
}

/* ---- litmus -----------------------------------------------------------------------------------*/

struct litmus {
	FILE *json;
	const char *arch;
	unsigned tests, allowed, allowed_seen, forbidden_seen;
	uint64_t runs;
};

static void take_litmus(void *context, char *line)
{
	struct litmus *litmus = context;
	char *field[7];
	uint64_t seen, runs;
	int allowed;

	/* litmus NAME MODEL VERDICT SEEN RUNS NOTE; the engine's own sum is not needed. */
	if (fields_of(line, field, 7) != 7 || strcmp(field[0], "litmus") != 0) {
		if (strncmp(line, "done", 4) == 0)
			return;
		usage("litmus: \"%s\" makes no sense", line);
	}
	allowed = strcmp(field[3], "allowed") == 0;
	seen = strtoull(field[4], 0, 10);
	runs = strtoull(field[5], 0, 10);
	printf("%-7s %-34s %-8s %-9s %6" PRIu64 " of %-6" PRIu64 " %s%s\n", litmus->arch, field[1],
	       field[2], field[3], seen, runs,
	       !allowed && seen   ? "FORBIDDEN, BUT SEEN; "
	       : allowed && !seen ? "not seen: "
	                          : "",
	       field[6]);
	if (litmus->json) {
		fputs(litmus->tests ? ",\n" : "\n", litmus->json);
		fprintf(litmus->json, "{\"arch\": \"%s\", \"test\": ", litmus->arch);
		json_text(litmus->json, field[1]);
		fputs(", \"memory\": ", litmus->json);
		json_text(litmus->json, field[2]);
		fprintf(litmus->json,
		        ", \"allowed\": %s, \"seen\": %" PRIu64 ", \"runs\": %" PRIu64 "}",
		        allowed ? "true" : "false", seen, runs);
	}
	litmus->tests++;
	litmus->allowed += (unsigned)allowed;
	litmus->allowed_seen += allowed && seen;
	litmus->forbidden_seen += !allowed && seen;
	litmus->runs += runs;
}

/* Of the allowed outcomes so many must be seen, in percent: the machine is to do what the manuals allow. */
#define LITMUS_SEEN_LEAST 90

int command_litmus(const struct settings *settings)
{
	struct settings quick = *settings;
	struct litmus litmus = {0};
	struct output output = {0};
	struct catalog catalog;
	int good;

	quick.quick = 1; /* the machine does not depend on the library's options */
	catalog_read(&catalog, &quick, "engines");
	if (settings->json) {
		output_open(&output, settings->json);
		litmus.json = output.file;
		fputs("{\"ktlb_check\": 1, \"litmus\": [", litmus.json);
	}
	for (unsigned e = 0; e < catalog.engines; e++) {
		char *argument[] = {catalog.engine[e].path, "--litmus", 0};
		char *why;
		int status;

		litmus.arch = catalog.engine[e].arch;
		status = run_lines(argument, take_litmus, &litmus);
		why = why_ended(status);
		if (why && !(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_VIOLATION))
			usage("%s --litmus: %s", catalog.engine[e].path, why);
	}
	if (settings->json) {
		fputs("\n]}\n", litmus.json);
		output_close(&output);
	}
	good = litmus.tests && !litmus.forbidden_seen &&
	       litmus.allowed_seen * 100 >= litmus.allowed * LITMUS_SEEN_LEAST;
	printf("%u tests, %" PRIu64
	       " runs: of %u allowed outcomes %u seen, of %u forbidden ones %u: %s\n",
	       litmus.tests, litmus.runs, litmus.allowed, litmus.allowed_seen,
	       litmus.tests - litmus.allowed, litmus.forbidden_seen, good ? "good" : "NOT GOOD");
	return good ? EXIT_CLEAN : EXIT_VIOLATION;
}
