/* SPDX-License-Identifier: MIT */
/*
 * Engines: which there are, which scenarios they have, how they are called, what they answer.
 *
 * make writes two lists beside the engines: `engines` and `mutants`, a name a line. NAME is
 * ARCH-OPTIONS or ARCH-OPTIONS+MUTATION, and NAME/engine is the executable.
 *
 * A token, ARCH.OPTIONS.MUTATION.SCENARIO.MEMORY.TAIL, says all that a run depends on. The front-end
 * needs the first five parts; TAIL is the engine's.
 */
#include "front.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which there are --------------------------------------------------------------------------*/

static char *part_of(const char *start, const char *end)
{
	return text_of("%.*s", (int)(end - start), start);
}

static void engine_of(struct engine *engine, const char *directory, const char *name)
{
	const char *options = strchr(name, '-'), *mutation = strchr(name, '+');
	const char *end = name + strlen(name);

	if (!options || (mutation && mutation < options))
		usage("%s: \"%s\" is no engine's name", directory, name);
	engine->name = copy_of(name);
	engine->arch = part_of(name, options);
	engine->options = part_of(options + 1, mutation ? mutation : end);
	engine->mutation = mutation ? copy_of(mutation + 1) : 0;
	engine->path = text_of("%s/%s/engine", directory, name);
}

static void take_scenario(void *context, char *line)
{
	struct engine *engine = context;
	char *field[4];

	if (fields_of(line, field, 4) != 4)
		usage("%s --list: \"%s\" makes no sense", engine->path, line);
	engine->scenario = realloc(engine->scenario,
	                           (engine->scenarios + 1) * sizeof(*engine->scenario));
	if (!engine->scenario)
		usage("out of memory");
	engine->scenario[engine->scenarios++] = (struct scenario){
		.name = copy_of(field[0]),
		.text = copy_of(field[3]),
		.small = strcmp(field[1], "small") == 0,
		.wrong = strcmp(field[2], "wrong") == 0,
	};
}

void engine_read_scenarios(struct engine *engine)
{
	char *argument[] = {engine->path, "--list", 0};
	int status = run_lines(argument, take_scenario, engine);
	char *why = why_ended(status);

	if (why)
		usage("%s --list: %s", engine->path, why);
}

static int wanted(const struct engine *engine, const struct settings *settings)
{
	if (!list_has(&settings->arch, engine->arch) ||
	    !list_has(&settings->options, engine->options))
		return 0;
	return !settings->quick || settings->options.count || engine->mutation ||
	       strcmp(engine->options, "default") == 0;
}

void catalog_read(struct catalog *catalog, const struct settings *settings, const char *file)
{
	char *path = text_of("%s/%s", settings->directory, file);
	FILE *list = fopen(path, "r");
	char name[256];
	unsigned missing = 0;

	if (!list)
		usage("%s: %s (make %s builds the engines)", path, strerror(errno), file);
	*catalog = (struct catalog){0, 0};
	while (fscanf(list, "%255s", name) == 1) {
		struct engine engine = {0};

		engine_of(&engine, settings->directory, name);
		if (!wanted(&engine, settings))
			continue;
		if (settings->mutation &&
		    (!engine.mutation || strcmp(engine.mutation, settings->mutation) != 0))
			continue;
		if (access(engine.path, X_OK) != 0) {
			if (engine.mutation || settings->options.count)
				usage("%s: %s (make %s builds it)", engine.path, strerror(errno),
				      file);
			missing++;
			continue;
		}
		catalog->engine = realloc(catalog->engine,
		                          (catalog->engines + 1) * sizeof(*catalog->engine));
		if (!catalog->engine)
			usage("out of memory");
		catalog->engine[catalog->engines++] = engine;
	}
	fclose(list);
	free(path);
	if (!catalog->engines && settings->mutation)
		usage("--mutate: no mutation is called \"%s\"", settings->mutation);
	if (!catalog->engines)
		usage("no engine in %s/%s has this architecture, these options, this mutation",
		      settings->directory, file);
	if (missing)
		fprintf(stderr,
		        "ktlb-check: %u option sets are not built and left out (make engines)\n",
		        missing);
}

/* ---- how they are called ----------------------------------------------------------------------*/

static void add_number(struct command *command, unsigned *n, uint64_t value)
{
	snprintf(command->text[*n], sizeof(command->text[*n]), "%" PRIu64, value);
	command->argument[*n] = command->text[*n];
	++*n;
}

/* More than anybody waits for. */
#define RUNS_NO_LIMIT ((uint64_t)1 << 48)

void hunt_command(const struct hunt *hunt, struct command *command)
{
	unsigned n = 0;

	memset(command, 0, sizeof(*command));
	command->argument[n++] = hunt->engine->path;
	command->argument[n++] = "--scenario";
	command->argument[n++] = (char *)(uintptr_t)hunt->scenario;
	command->argument[n++] = "--memory";
	command->argument[n++] = (char *)(uintptr_t)hunt->memory;
	command->argument[n++] = "--strategy";
	command->argument[n++] = (char *)(uintptr_t)strategy_name[hunt->strategy];
	command->argument[n++] = "--seed";
	add_number(command, &n, hunt->seed);
	command->argument[n++] = "--first";
	add_number(command, &n, hunt->first);
	command->argument[n++] = "--runs";
	add_number(command, &n, hunt->runs ? hunt->runs : RUNS_NO_LIMIT);
	if (hunt->seconds > 0) {
		command->argument[n++] = "--seconds";
		snprintf(command->text[n], sizeof(command->text[n]), "%.3f", hunt->seconds);
		command->argument[n] = command->text[n];
		n++;
	}
	if (hunt->strategy == STRATEGY_EXHAUSTIVE) {
		command->argument[n++] = "--preemptions";
		add_number(command, &n, hunt->preemptions);
		command->argument[n++] = "--oddities";
		add_number(command, &n, hunt->oddities);
	}
	command->argument[n++] = "--stop-at-first";
}

#define TOKEN_PARTS 6

void replay_command(const struct settings *settings, const char *token, struct command *command)
{
	char *copy = copy_of(token), *part[TOKEN_PARTS], *path;
	unsigned parts = 0, n = 0;

	for (char *next = copy; next && parts < TOKEN_PARTS; parts++) {
		part[parts] = next;
		next = parts < TOKEN_PARTS - 1 ? strchr(next, '.') : 0;
		if (next)
			*next++ = 0;
		if (!*part[parts])
			break;
	}
	if (parts != TOKEN_PARTS || strchr(token, '/'))
		usage("\"%s\" is no token (ARCH.OPTIONS.MUTATION.SCENARIO.MEMORY.TAIL)", token);
	path = strcmp(part[2], "-") == 0
	               ? text_of("%s/%s-%s/engine", settings->directory, part[0], part[1])
	               : text_of("%s/%s-%s+%s/engine", settings->directory, part[0], part[1],
	                         part[2]);
	if (access(path, X_OK) != 0)
		usage("%s, which the token names: %s", path, strerror(errno));
	memset(command, 0, sizeof(*command));
	command->argument[n++] = path;
	command->argument[n++] = "--scenario";
	command->argument[n++] = part[3];
	command->argument[n++] = "--memory";
	command->argument[n++] = part[4];
	command->argument[n++] = "--replay";
	command->argument[n++] = part[5];
	command->argument[n++] = "--lanes";
	if (settings->trace) {
		command->argument[n++] = "--trace";
		command->argument[n++] = (char *)(uintptr_t)settings->trace;
	}
}

static void print_line(void *context, char *line)
{
	(void)context;
	printf("  %s\n", line);
}

void print_lanes(const struct settings *settings, const char *token)
{
	struct command command;
	int status;

	replay_command(settings, token, &command);
	status = run_lines(command.argument, print_line, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_VIOLATION)
		printf("  THE REPLAY DOES NOT SHOW IT: the machine does not repeat itself\n");
}

/* ---- a process whose lines are read -----------------------------------------------------------*/

int run_lines(char *const argument[], void (*take)(void *context, char *line), void *context)
{
	int ends[2], status;
	char *line = 0;
	size_t size = 0;
	FILE *file;
	pid_t child;

	fflush(0);
	if (pipe(ends) != 0 || (child = fork()) < 0)
		usage("cannot start %s: %s", argument[0], strerror(errno));
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(argument[0], argument);
		_exit(127);
	}
	close(ends[1]);
	file = fdopen(ends[0], "r");
	if (!file)
		usage("cannot read from %s: %s", argument[0], strerror(errno));
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		take(context, line);
	}
	free(line);
	fclose(file);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			usage("lost %s: %s", argument[0], strerror(errno));
	return status;
}

char *why_ended(int status)
{
	if (WIFSIGNALED(status))
		return text_of("ended by signal %d (%s)", WTERMSIG(status),
		               strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) > EXIT_VIOLATION)
		return text_of("ended with exit code %d", WEXITSTATUS(status));
	return 0;
}

/* ---- what they answer -------------------------------------------------------------------------*/

unsigned fields_of(char *line, char *field[], unsigned max)
{
	unsigned count = 0;

	for (char *next = line; next && count < max; count++) {
		field[count] = next;
		next = count + 1 < max ? strchr(next, '\t') : 0;
		if (next)
			*next++ = 0;
	}
	return count;
}

void outcome_add_reach(struct outcome *outcome, const char *name, uint64_t count)
{
	unsigned i = 0;

	while (i < outcome->reaches && strcmp(outcome->reach[i].name, name) != 0)
		i++;
	if (i == REACH_MAX)
		usage("an engine names more than %d races", REACH_MAX);
	if (i == outcome->reaches) {
		outcome->reach[i].name = copy_of(name);
		outcome->reach[i].count = 0;
		outcome->reaches++;
	}
	outcome->reach[i].count += count;
}

static void take_violation(struct outcome *outcome, uint64_t run, const char *name,
                           const char *token, const char *text)
{
	struct violation *violation = &outcome->violation;

	outcome->violations++;
	if (violation->name && violation->run <= run)
		return;
	free(violation->name);
	free(violation->token);
	free(violation->text);
	*violation = (struct violation){copy_of(name), copy_of(token), copy_of(text), run};
}

/* The engine knows the last part of the token. */
static char *token_of(const struct hunt *hunt, const char *tail)
{
	const struct engine *engine = hunt->engine;

	return text_of("%s.%s.%s.%s.%s.%s", engine->arch, engine->options,
	               engine->mutation ? engine->mutation : "-", hunt->scenario, hunt->memory,
	               tail);
}

void outcome_take(struct outcome *outcome, const struct hunt *hunt, char *line)
{
	char *copy = copy_of(line), *field[7], *token;
	unsigned count = fields_of(line, field, 7);

	if (count == 3 && strcmp(field[0], "at") == 0) {
		outcome->runs_now = strtoull(field[1], 0, 10);
		outcome->events_now = strtoull(field[2], 0, 10);
	} else if (count == 6 && strcmp(field[0], "done") == 0) {
		outcome->runs = strtoull(field[1], 0, 10);
		outcome->events = strtoull(field[2], 0, 10);
		outcome->seconds = strtod(field[3], 0);
		outcome->finished = *field[4] == '1';
		outcome->hash = strtoull(field[5], 0, 16);
		outcome->done = 1;
	} else if (count == 3 && strcmp(field[0], "reach") == 0) {
		outcome_add_reach(outcome, field[1], strtoull(field[2], 0, 10));
	} else if (count == 5 && strcmp(field[0], "violation") == 0) {
		token = token_of(hunt, field[3]);
		take_violation(outcome, strtoull(field[2], 0, 10) - 1, field[1], token, field[4]);
		free(token);
	} else {
		free(outcome->error);
		outcome->error = copy;
		return;
	}
	free(copy);
}

/*
 * The sum does not depend on how runs are cut into jobs: hashes are sums over runs, and the first
 * violation is the one of the lowest run.
 */
void outcome_add(struct outcome *sum, const struct outcome *part)
{
	sum->finished = part->finished && (sum->finished || !sum->done);
	sum->runs += part->runs;
	sum->events += part->events;
	sum->seconds += part->seconds;
	sum->hash += part->hash;
	sum->done = 1;
	for (unsigned i = 0; i < part->reaches; i++)
		outcome_add_reach(sum, part->reach[i].name, part->reach[i].count);
	if (part->violation.name) {
		sum->violations += part->violations - 1;
		take_violation(sum, part->violation.run, part->violation.name,
		               part->violation.token, part->violation.text);
	}
}

void outcome_clear(struct outcome *outcome)
{
	for (unsigned i = 0; i < outcome->reaches; i++)
		free(outcome->reach[i].name);
	free(outcome->violation.name);
	free(outcome->violation.token);
	free(outcome->violation.text);
	free(outcome->error);
	*outcome = (struct outcome){0};
}

struct hunt_context {
	struct outcome *outcome;
	const struct hunt *hunt;
};

static void take_answer(void *context, char *line)
{
	struct hunt_context *answer = context;

	outcome_take(answer->outcome, answer->hunt, line);
}

void hunt_now(const struct hunt *hunt, struct outcome *outcome, int *status)
{
	struct hunt_context context = {outcome, hunt};
	struct command command;

	*outcome = (struct outcome){0};
	hunt_command(hunt, &command);
	*status = run_lines(command.argument, take_answer, &context);
}
