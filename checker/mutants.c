/* SPDX-License-Identifier: MIT */
/*
 * The command mutants: who checks the checker?
 *
 * A mutation is a sed script that breaks one file of src/ (tests/broken/NAME.sed, or made by
 * checker/weaken), built into an engine of its own. Each must be found. The head of a script says:
 *
 *   # src/FILE: what is wrong with it
 *   # check: SCENARIO MEMORY [OPTIONS]   where to look first; "any any" if that is not known
 *   # retells: ...                       the public bug that it is like
 *   # equivalent: reason                 it changes nothing that counts: no hunt finds it, and every
 *                                        exhaustive search of the small scenarios is complete
 *
 * A hunt has three steps. Where to find it: what the head says, then every scenario and model with
 * growing numbers of runs. How fast: five seeds there; the median and the worst number of runs. On
 * which models: the same scenario on the others, and if that finds nothing, every scenario, with fewer
 * runs. Each hunt is a process, which calls its engines one after the other; many go on at once.
 */
#include "front.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define DEFAULT_LIMIT 3000 /* runs of one scenario on one model */
#define DEEP_FACTOR   10   /* and so many times that where it is known to be found */
#define FIRST_ROUND   100
#define ROUND_GROWTH  10
#define SEEDS         5
/* The other models: runs of the scenario that found it, and of each other scenario. */
#define OTHER_MODEL_SHARE    1
#define OTHER_SCENARIO_SHARE 6
#define SEARCH_LIMIT         400000 /* runs of an exhaustive search, where a head says that it is found */
#define CHECKS_MAX           8

struct where {
	char *scenario, *memory; /* null: any */
	int searched;            /* found by an exhaustive search */
};

enum verdict {
	UNKNOWN,
	KILLED,
	EQUIVALENT,
	SURVIVED,
	BROKEN, /* the engine does not work, or a head says what is not so */
};

struct mutant {
	struct engine engine;
	char *file, *what, *retells, *equivalent;
	struct where check[CHECKS_MAX];
	unsigned checks;

	/* What its hunt has said. */
	enum verdict verdict;
	char *scenario, *memory, *violation, *token;
	uint64_t median, worst;
	int elsewhere;            /* not where its head says */
	char *on_model[MEMORIES]; /* runs to the kill, or "-" */
	char *remark;
	uint64_t runs;
	unsigned shared; /* finds that the shipped library has, too */
};

struct mutants {
	const struct settings *settings;
	struct mutant *mutant;
	unsigned count, given, done;
	double began;
};

/* A hunt's own view, in its process. */
struct hunting {
	const struct mutant *mutant;
	const struct settings *settings;
	struct engine base; /* the engine without the mutation */
	uint64_t limit, runs;
};

/* ---- heads ------------------------------------------------------------------------------------*/

static char *any_or(const char *word)
{
	return strcmp(word, "any") == 0 ? 0 : copy_of(word);
}

static void read_check(struct mutant *mutant, const char *text, const char *path)
{
	char scenario[64], memory[64], options[64] = "default";
	const char *dash;

	if (sscanf(text, "%63s %63s %63s", scenario, memory, options) < 2)
		usage("%s: \"check: %s\" is not SCENARIO MEMORY [OPTIONS]", path, text);
	dash = strchr(options, '-');
	if (strcmp(dash ? dash + 1 : options, mutant->engine.options) != 0 ||
	    (dash && strncmp(options, mutant->engine.arch, (size_t)(dash - options)) != 0))
		return; /* for another engine */
	if (mutant->checks == CHECKS_MAX)
		usage("%s: more than %d lines \"check:\"", path, CHECKS_MAX);
	mutant->check[mutant->checks++] = (struct where){any_or(scenario), any_or(memory), 0};
}

static void read_head(struct mutant *mutant, const struct settings *settings)
{
	char *path = text_of("%s/scripts/%s.sed", settings->directory, mutant->engine.mutation);
	FILE *file = fopen(path, "r");
	char *line = 0;
	size_t size = 0;

	if (!file)
		usage("%s: %s", path, strerror(errno));
	while (getline(&line, &size, file) > 0 && *line == '#') {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, "# src/", 6) == 0 && strchr(line, ':')) {
			char *colon = strchr(line, ':');

			*colon = 0;
			mutant->file = copy_of(line + 6);
			mutant->what = copy_of(colon + 1 + strspn(colon + 1, " "));
		} else if (strncmp(line, "# check: ", 9) == 0) {
			read_check(mutant, line + 9, path);
		} else if (strncmp(line, "# retells: ", 11) == 0) {
			mutant->retells = copy_of(line + 11);
		} else if (strncmp(line, "# equivalent: ", 14) == 0) {
			mutant->equivalent = copy_of(line + 14);
		}
	}
	if (!mutant->file)
		usage("%s does not name its file", path);
	free(line);
	fclose(file);
	free(path);
}

static int is_asked_for(const struct settings *settings, const char *name)
{
	for (int i = 0; i < settings->arguments; i++)
		if (strcmp(settings->argument[i], name) == 0)
			return 1;
	return settings->arguments == 0;
}

static void check_names(const struct settings *settings, const struct catalog *catalog)
{
	for (int i = 0; i < settings->arguments; i++) {
		unsigned e = 0;

		while (e < catalog->engines &&
		       strcmp(catalog->engine[e].mutation, settings->argument[i]) != 0)
			e++;
		if (e == catalog->engines)
			usage("mutants: nothing is called \"%s\"", settings->argument[i]);
	}
}

static void read_mutants(struct mutants *mutants, const struct settings *settings)
{
	struct catalog catalog;

	catalog_read(&catalog, settings, "mutants");
	check_names(settings, &catalog);
	mutants->mutant = allocate(catalog.engines * sizeof(struct mutant));
	for (unsigned e = 0; e < catalog.engines; e++) {
		struct mutant *mutant = &mutants->mutant[mutants->count];

		if (!is_asked_for(settings, catalog.engine[e].mutation))
			continue;
		mutant->engine = catalog.engine[e];
		read_head(mutant, settings);
		engine_read_scenarios(&mutant->engine);
		mutants->count++;
	}
}

/* ---- a hunt, in a process of its own ----------------------------------------------------------*/

/* What a hunt says: a word, and fields. */
__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
	va_list arguments;

	printf("broken\t");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	fputc('\n', stdout);
	exit(EXIT_CLEAN);
}

/* Does the shipped library show something in the same runs? Then it is no find of the mutation's. */
static int base_has_it(struct hunting *hunting, const struct hunt *hunt)
{
	struct hunt same = *hunt;
	struct outcome outcome;
	int status, has;

	same.engine = &hunting->base;
	hunt_now(&same, &outcome, &status);
	if (!outcome.done)
		give_up("%s, scenario %s, memory %s: the shipped library's engine does not work",
		        hunting->base.name, hunt->scenario, hunt->memory);
	has = outcome.violation.name != 0;
	if (has)
		printf("shared\t%s\n", outcome.violation.token);
	outcome_clear(&outcome);
	return has;
}

/*
 * One engine on one scenario and model. True: a violation. A mutated library may make the whole
 * simulation crash, which is as good as one.
 */
static int attempt(struct hunting *hunting, const struct hunt *hunt, struct outcome *outcome)
{
	char *why;
	int status;

	hunt_now(hunt, outcome, &status);
	why = why_ended(status);
	if (WIFSIGNALED(status)) {
		outcome->violation.name = copy_of("crash");
		outcome->violation.token = copy_of("-");
		outcome->runs = outcome->runs_now + 1;
	} else if (why || !outcome->done) {
		give_up("%s, scenario %s, memory %s, seed %" PRIu64 ", first run %" PRIu64 ": %s",
		        hunt->engine->name, hunt->scenario, hunt->memory, hunt->seed, hunt->first,
		        why              ? why
		        : outcome->error ? outcome->error
		                         : "no answer");
	}
	free(why);
	hunting->runs += outcome->runs;
	printf("runs\t%" PRIu64 "\n", hunting->runs);
	fflush(stdout);
	return outcome->violation.name && !base_has_it(hunting, hunt);
}

static int attempt_runs(struct hunting *hunting, const char *scenario, const char *memory,
                        uint64_t seed, uint64_t first, uint64_t runs, struct outcome *outcome)
{
	struct hunt hunt = {
		.engine = &hunting->mutant->engine,
		.scenario = scenario,
		.memory = memory,
		.strategy = STRATEGY_RANDOM,
		.seed = seed,
		.first = first,
		.runs = runs,
	};

	return attempt(hunting, &hunt, outcome);
}

/*
 * Runs until it is found, 0 if it is not within the limit. In growing portions, because an engine
 * takes the runs of a portion machine by machine and variant by variant.
 */
static uint64_t runs_to_kill(struct hunting *hunting, const char *scenario, const char *memory,
                             uint64_t seed, uint64_t limit, struct outcome *outcome)
{
	uint64_t first = 0, upto = FIRST_ROUND;

	while (first < limit) {
		if (upto > limit)
			upto = limit;
		if (attempt_runs(hunting, scenario, memory, seed, first, upto - first, outcome))
			return first + outcome->runs;
		outcome_clear(outcome);
		first = upto;
		upto *= ROUND_GROWTH;
	}
	return 0;
}

/* Runs of the exhaustive search until it is found, 0 if it is not within the limit. */
static uint64_t search_to_kill(struct hunting *hunting, const char *scenario, const char *memory,
                               struct outcome *outcome)
{
	struct hunt hunt = {
		.engine = &hunting->mutant->engine,
		.scenario = scenario,
		.memory = memory,
		.strategy = STRATEGY_EXHAUSTIVE,
		.preemptions = hunting->settings->preemptions,
		.oddities = hunting->settings->oddities,
		.runs = SEARCH_LIMIT,
	};

	if (attempt(hunting, &hunt, outcome))
		return outcome->runs;
	outcome_clear(outcome);
	return 0;
}

/* A small scenario that a head names, with its model: what luck does not find there, a search may. */
static int search_where(struct hunting *hunting, const struct where *where, struct where *found)
{
	const struct engine *engine = &hunting->mutant->engine;
	struct outcome outcome;

	for (unsigned s = 0; s < engine->scenarios; s++) {
		if (!where->memory || !engine->scenario[s].small ||
		    strcmp(where->scenario, engine->scenario[s].name) != 0)
			continue;
		if (!search_to_kill(hunting, where->scenario, where->memory, &outcome))
			return 0;
		found->scenario = copy_of(where->scenario);
		found->memory = copy_of(where->memory);
		found->searched = 1;
		return 1;
	}
	return 0;
}

/* What a head names: a scenario, a model or all of them. */
static int look_at(struct hunting *hunting, const struct where *where, struct where *found)
{
	const struct engine *engine = &hunting->mutant->engine;
	struct outcome outcome;
	unsigned s = 0;

	while (s < engine->scenarios && strcmp(where->scenario, engine->scenario[s].name) != 0)
		s++;
	if (s == engine->scenarios)
		give_up("%s: its head names the scenario %s, which is not there", engine->name,
		        where->scenario);
	if (engine->scenario[s].wrong)
		give_up("%s: its head names %s, which uses the library wrongly", engine->name,
		        where->scenario);
	for (unsigned m = 0; m < MEMORIES; m++) {
		if (where->memory && strcmp(where->memory, memory_name[m]) != 0)
			continue;
		if (!runs_to_kill(hunting, where->scenario, memory_name[m], 1,
		                  hunting->limit * (where->memory ? DEEP_FACTOR : 1), &outcome))
			continue;
		found->scenario = copy_of(where->scenario);
		found->memory = copy_of(memory_name[m]);
		found->searched = 0;
		return 1;
	}
	return search_where(hunting, where, found);
}

/* Every scenario on every model, a few runs each, then more. */
static int look_around(struct hunting *hunting, struct where *found)
{
	const struct engine *engine = &hunting->mutant->engine;
	uint64_t first = 0, upto = FIRST_ROUND;
	struct outcome outcome;

	uint64_t limit = hunting->mutant->equivalent && hunting->settings->quick ? FIRST_ROUND
	                                                                         : hunting->limit;

	while (first < limit) {
		if (upto > limit)
			upto = limit;
		for (unsigned i = 0; i < engine->scenarios * MEMORIES; i++) {
			const char *scenario = engine->scenario[i / MEMORIES].name;
			const char *memory = memory_name[i % MEMORIES];

			if (engine->scenario[i / MEMORIES].wrong)
				continue;
			if (attempt_runs(hunting, scenario, memory, 1, first, upto - first,
			                 &outcome)) {
				found->scenario = copy_of(scenario);
				found->memory = copy_of(memory);
				found->searched = 0;
				return 1;
			}
			outcome_clear(&outcome);
		}
		first = upto;
		upto *= ROUND_GROWTH;
	}
	return 0;
}

/* Step one. */
static int find(struct hunting *hunting, struct where *found, int *elsewhere)
{
	const struct mutant *mutant = hunting->mutant;

	*elsewhere = 0;
	for (unsigned i = 0; i < mutant->checks; i++) {
		if (!mutant->check[i].scenario)
			continue;
		if (look_at(hunting, &mutant->check[i], found))
			return 1;
		*elsewhere = 1;
	}
	return look_around(hunting, found);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void ignore_line(void *context, char *line)
{
	(void)context;
	(void)line;
}

/* What was found must be found again by its token. */
static void check_token(const struct hunting *hunting, const struct violation *violation)
{
	struct command command;
	int status;

	if (strcmp(violation->name, "crash") == 0)
		return;
	replay_command(hunting->settings, violation->token, &command);
	status = run_lines(command.argument, ignore_line, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_VIOLATION)
		give_up("%s, which finds it, shows nothing when it is replayed", violation->token);
}

/* Step two. A seed that does not find it within the limit counts as one more than the limit. */
static void measure(struct hunting *hunting, const struct where *found, int elsewhere)
{
	unsigned seeds = hunting->settings->quick || found->searched ? 1 : SEEDS;
	uint64_t runs[SEEDS], limit = hunting->limit * DEEP_FACTOR;
	struct outcome outcome, shown = {0};

	for (unsigned i = 0; i < seeds; i++) {
		if (found->searched)
			runs[i] = search_to_kill(hunting, found->scenario, found->memory, &outcome);
		else
			runs[i] = runs_to_kill(hunting, found->scenario, found->memory, i + 1,
			                       limit, &outcome);
		if (!runs[i])
			runs[i] = limit + 1;
		else if (!shown.violation.name)
			shown = outcome;
	}
	if (!shown.violation.name)
		give_up("found once in %s on %s, and not again", found->scenario, found->memory);
	check_token(hunting, &shown.violation);
	qsort(runs, seeds, sizeof(runs[0]), by_size);
	printf("killed\t%s%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%d\n", found->scenario,
	       found->searched ? " (search)" : "", found->memory, shown.violation.name,
	       shown.violation.token, runs[seeds / 2], runs[seeds - 1], elsewhere);
	fflush(stdout);
}

/* Step three, for one model: runs to the kill in this scenario, or which other one kills it. */
static void try_model(struct hunting *hunting, const char *scenario, const char *memory)
{
	const struct engine *engine = &hunting->mutant->engine;
	struct outcome outcome;
	uint64_t runs = runs_to_kill(hunting, scenario, memory, 1,
	                             hunting->limit / OTHER_MODEL_SHARE, &outcome);

	if (runs) {
		printf("model\t%s\t%" PRIu64 "\n", memory, runs);
		return;
	}
	for (unsigned s = 0; s < engine->scenarios; s++) {
		if (engine->scenario[s].wrong || strcmp(engine->scenario[s].name, scenario) == 0)
			continue;
		runs = runs_to_kill(hunting, engine->scenario[s].name, memory, 1,
		                    hunting->limit / OTHER_SCENARIO_SHARE, &outcome);
		if (runs) {
			printf("model\t%s\t%" PRIu64 "*\n", memory, runs);
			return;
		}
	}
	printf("model\t%s\t-\n", memory);
}

/* All the small scenarios, to the end; in a quick hunt with one odd choice less. */
static void verify_equivalent(struct hunting *hunting)
{
	const struct engine *engine = &hunting->mutant->engine;
	unsigned less = hunting->settings->quick ? 1 : 0;
	unsigned preemptions = hunting->settings->preemptions - less;
	unsigned oddities = hunting->settings->oddities - less;
	uint64_t searched = 0;
	unsigned searches = 0;

	for (unsigned s = 0; s < engine->scenarios; s++) {
		if (!engine->scenario[s].small || engine->scenario[s].wrong)
			continue;
		for (unsigned m = 0; m < MEMORIES; m++) {
			struct outcome outcome;
			struct hunt hunt = {
				.engine = engine,
				.scenario = engine->scenario[s].name,
				.memory = memory_name[m],
				.strategy = STRATEGY_EXHAUSTIVE,
				.preemptions = preemptions,
				.oddities = oddities,
			};

			if (attempt(hunting, &hunt, &outcome))
				give_up("said to be equivalent, but %s on %s finds: %s",
				        hunt.scenario, hunt.memory, outcome.violation.name);
			if (!outcome.finished)
				give_up("said to be equivalent, but the search of %s on %s is not "
				        "complete",
				        hunt.scenario, hunt.memory);
			searched += outcome.runs;
			searches++;
		}
	}
	if (!searches)
		give_up("said to be equivalent, but no scenario is small enough to search");
	printf("equivalent\t%u complete searches, %" PRIu64
	       " runs, %u preemptions and %u oddities\n",
	       searches, searched, preemptions, oddities);
}

/* Step one and two may be all. */
static int hunt_mutant(void *subject)
{
	struct hunting *hunting = subject;
	struct where found;
	int elsewhere;

	if (hunting->mutant->equivalent) {
		if (find(hunting, &found, &elsewhere))
			give_up("said to be equivalent, but found in %s on %s", found.scenario,
			        found.memory);
		verify_equivalent(hunting);
		return EXIT_CLEAN;
	}
	if (!find(hunting, &found, &elsewhere)) {
		puts("survived");
		return EXIT_CLEAN;
	}
	measure(hunting, &found, elsewhere);
	for (unsigned m = 0; m < MEMORIES && !hunting->settings->quick; m++)
		if (strcmp(memory_name[m], found.memory) != 0)
			try_model(hunting, found.scenario, memory_name[m]);
	return EXIT_CLEAN;
}

/* ---- the pool ---------------------------------------------------------------------------------*/

static int next_mutant(void *context, struct job *job)
{
	struct mutants *mutants = context;
	struct hunting *hunting;

	if (mutants->given == mutants->count)
		return 0;
	hunting = allocate(sizeof(*hunting));
	*hunting = (struct hunting){
		.mutant = &mutants->mutant[mutants->given++],
		.settings = mutants->settings,
		.limit = mutants->settings->runs ? mutants->settings->runs : DEFAULT_LIMIT,
	};
	hunting->base = hunting->mutant->engine;
	hunting->base.mutation = 0;
	hunting->base.name = text_of("%s-%s", hunting->base.arch, hunting->base.options);
	hunting->base.path = text_of("%s/%s/engine", mutants->settings->directory,
	                             hunting->base.name);
	job->subject = hunting;
	job->function = hunt_mutant;
	return 1;
}

static unsigned memory_number(const char *name)
{
	unsigned m = 0;

	while (m < MEMORIES - 1 && strcmp(name, memory_name[m]) != 0)
		m++;
	return m;
}

static void take_killed(struct mutant *mutant, char *const field[])
{
	mutant->verdict = KILLED;
	mutant->scenario = copy_of(field[1]);
	mutant->memory = copy_of(field[2]);
	mutant->violation = copy_of(field[3]);
	mutant->token = copy_of(field[4]);
	mutant->median = strtoull(field[5], 0, 10);
	mutant->worst = strtoull(field[6], 0, 10);
	mutant->elsewhere = *field[7] == '1';
	mutant->on_model[memory_number(field[2])] = copy_of(field[5]);
}

static void take_line(void *context, struct job *job, char *line)
{
	struct hunting *hunting = job->subject;
	struct mutants *mutants = context;
	struct mutant *mutant = &mutants->mutant[hunting->mutant - mutants->mutant];
	char *field[8];
	unsigned count = fields_of(line, field, 8);

	if (count == 8 && strcmp(field[0], "killed") == 0) {
		take_killed(mutant, field);
	} else if (count == 3 && strcmp(field[0], "model") == 0) {
		mutant->on_model[memory_number(field[1])] = copy_of(field[2]);
	} else if (count == 2 && strcmp(field[0], "runs") == 0) {
		mutant->runs = strtoull(field[1], 0, 10);
	} else if (count == 2 && strcmp(field[0], "shared") == 0) {
		mutant->shared++;
		free(mutant->remark);
		mutant->remark = copy_of(field[1]);
	} else if (count == 2 && strcmp(field[0], "equivalent") == 0) {
		mutant->verdict = EQUIVALENT;
		mutant->remark = copy_of(field[1]);
	} else if (count == 1 && strcmp(field[0], "survived") == 0) {
		mutant->verdict = SURVIVED;
	} else if (count == 2 && strcmp(field[0], "broken") == 0) {
		mutant->verdict = BROKEN;
		mutant->remark = copy_of(field[1]);
	}
}

static void end_mutant(void *context, struct job *job, int status)
{
	struct hunting *hunting = job->subject;
	struct mutants *mutants = context;
	struct mutant *mutant = &mutants->mutant[hunting->mutant - mutants->mutant];
	char *why = why_ended(status);

	free(hunting->base.name);
	free(hunting->base.path);
	if (why || mutant->verdict == UNKNOWN) {
		mutant->verdict = BROKEN;
		mutant->remark = text_of("the hunt %s", why ? why : "said nothing");
	}
	mutants->done++;
	free(why);
	free(hunting);
}

static double progress(void *context, char *text, size_t size)
{
	struct mutants *mutants = context;
	uint64_t runs = 0;
	char number[16], rate[16];

	for (unsigned i = 0; i < mutants->count; i++)
		runs += mutants->mutant[i].runs;
	snprintf(text, size, "%u of %u mutations, %s runs, %s runs/s", mutants->done,
	         mutants->count, short_number((double)runs, number, sizeof(number)),
	         short_number((double)runs / (now() - mutants->began), rate, sizeof(rate)));
	return (double)mutants->done / mutants->count;
}

/* ---- the table --------------------------------------------------------------------------------*/

static void print_mutant(const struct mutant *mutant, uint64_t limit)
{
	printf("%-36s ", mutant->engine.mutation);
	switch (mutant->verdict) {
	case KILLED:
		printf("%-24s %-22s", mutant->scenario, mutant->violation);
		for (unsigned m = 0; m < MEMORIES; m++)
			printf(" %8s", mutant->on_model[m] ? mutant->on_model[m] : "");
		if (mutant->median > limit)
			printf(" %8s", "late");
		else
			printf(" %8" PRIu64, mutant->median);
		if (mutant->worst > limit)
			printf(" %8s", "late");
		else
			printf(" %8" PRIu64, mutant->worst);
		break;
	case EQUIVALENT:
		printf("equivalent: %s (%s)", mutant->equivalent, mutant->remark);
		break;
	case SURVIVED:
		printf("SURVIVED %" PRIu64 " runs", mutant->runs);
		break;
	case BROKEN:
	case UNKNOWN:
		printf("BROKEN: %s", mutant->remark);
		break;
	}
	printf("  %s\n", mutant->retells ? mutant->retells : "");
}

static void print_group(const struct mutants *mutants, const char *arch, const char *options,
                        uint64_t limit, int verbose)
{
	int first = 1;

	for (unsigned i = 0; i < mutants->count; i++) {
		const struct mutant *mutant = &mutants->mutant[i];

		if (strcmp(mutant->engine.arch, arch) != 0 ||
		    strcmp(mutant->engine.options, options) != 0)
			continue;
		if (first)
			printf("\n%s-%s\n", arch, options);
		first = 0;
		print_mutant(mutant, limit);
		if (verbose)
			printf("    src/%s: %s\n", mutant->file, mutant->what);
		if (verbose && mutant->token)
			printf("    ktlb-check replay %s\n", mutant->token);
		if (mutant->elsewhere)
			printf("    (its head names other places, which do not find it)\n");
		if (mutant->shared && mutant->verdict != BROKEN)
			printf("    (%u finds not counted: the shipped library has them, too; %s)\n",
			       mutant->shared, mutant->remark);
	}
}

static int is_first_of_group(const struct mutants *mutants, unsigned mutant)
{
	const struct engine *engine = &mutants->mutant[mutant].engine;

	for (unsigned i = 0; i < mutant; i++)
		if (strcmp(mutants->mutant[i].engine.arch, engine->arch) == 0 &&
		    strcmp(mutants->mutant[i].engine.options, engine->options) == 0)
			return 0;
	return 1;
}

static int print_all(const struct mutants *mutants)
{
	const struct settings *settings = mutants->settings;
	uint64_t limit = settings->runs ? settings->runs : DEFAULT_LIMIT, runs = 0;
	uint64_t deep = limit * DEEP_FACTOR;
	unsigned sum[BROKEN + 1] = {0}, bad;

	printf("%-36s %-24s %-22s %8s %8s %8s %8s %8s %8s  %s\n", "mutation", "found by", "as",
	       "sc", "tso", "weak", "weak-c11", "median", "worst", "retells");
	for (unsigned i = 0; i < mutants->count; i++) {
		const struct mutant *mutant = &mutants->mutant[i];

		sum[mutant->verdict]++;
		runs += mutant->runs;
		if (is_first_of_group(mutants, i))
			print_group(mutants, mutant->engine.arch, mutant->engine.options, deep,
			            settings->verbose);
	}
	printf("\nUnder a model: runs to the kill (* by another scenario). -: none in %" PRIu64
	       " runs of that scenario and %" PRIu64 " of each other one.\n"
	       "median, worst: of %d seeds, on the model of the first find. late: none in %" PRIu64
	       " runs.\n",
	       limit / OTHER_MODEL_SHARE, limit / OTHER_SCENARIO_SHARE, settings->quick ? 1 : SEEDS,
	       deep);
	bad = sum[SURVIVED] + sum[BROKEN];
	printf("%u mutations: %u killed, %u equivalent, %u survived, %u broken; %" PRIu64
	       " runs in %.0f s: %s\n",
	       mutants->count, sum[KILLED], sum[EQUIVALENT], sum[SURVIVED], sum[BROKEN], runs,
	       now() - mutants->began, bad ? "NOT GOOD" : "good");
	return bad ? EXIT_VIOLATION : EXIT_CLEAN;
}

static void write_pair(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\": ", key);
	json_text(file, text ? text : "");
	fputs(", ", file);
}

static void write_all(const struct mutants *mutants, const char *path)
{
	static const char *const verdict[] = {"unknown", "killed", "equivalent", "survived",
	                                      "broken"};
	struct output output;

	output_open(&output, path);
	fputs("{\"ktlb_check\": 1, \"mutants\": [", output.file);
	for (unsigned i = 0; i < mutants->count; i++) {
		const struct mutant *mutant = &mutants->mutant[i];

		fputs(i ? ",\n{" : "\n{", output.file);
		write_pair(output.file, "mutation", mutant->engine.mutation);
		write_pair(output.file, "arch", mutant->engine.arch);
		write_pair(output.file, "options", mutant->engine.options);
		write_pair(output.file, "file", mutant->file);
		write_pair(output.file, "what", mutant->what);
		write_pair(output.file, "retells", mutant->retells);
		write_pair(output.file, "verdict", verdict[mutant->verdict]);
		write_pair(output.file, "reason", mutant->equivalent);
		write_pair(output.file, "remark", mutant->remark);
		write_pair(output.file, "scenario", mutant->scenario);
		write_pair(output.file, "memory", mutant->memory);
		write_pair(output.file, "violation", mutant->violation);
		write_pair(output.file, "token", mutant->token);
		for (unsigned m = 0; m < MEMORIES; m++)
			write_pair(output.file, memory_name[m], mutant->on_model[m]);
		fprintf(output.file,
		        "\"median\": %" PRIu64 ", \"worst\": %" PRIu64 ", \"runs\": %" PRIu64 "}",
		        mutant->median, mutant->worst, mutant->runs);
	}
	fputs("\n]}\n", output.file);
	output_close(&output);
}

int command_mutants(const struct settings *settings)
{
	struct mutants mutants = {.settings = settings, .began = now()};
	struct pool pool = {settings->jobs, &mutants, next_mutant, take_line, end_mutant, progress};

	read_mutants(&mutants, settings);
	pool_run(&pool);
	if (settings->json)
		write_all(&mutants, settings->json);
	return print_all(&mutants);
}
