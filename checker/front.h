/* SPDX-License-Identifier: MIT */
/*
 * What the files of ktlb-check share, and how they fit together.
 *
 * ktlb-check is a front-end. The work is done by engines: one executable for each architecture,
 * option set and mutation, which holds the simulated machine, the library's own C files and the
 * scenarios. An engine is told what to do on its command line, and answers in lines of fields with
 * tabs in between.
 *
 *   main.c     the command line
 *   catalog.c  which engines there are, which scenarios they have, how they are called, what they answer
 *   jobs.c     many of them at once, and how far they are
 *   run.c      the commands run, list, replay, litmus
 *   mutants.c  the command mutants
 *   report.c   tables and JSON
 */
#ifndef KTLB_CHECK_FRONT_H
#define KTLB_CHECK_FRONT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
	EXIT_CLEAN = 0,
	EXIT_VIOLATION = 1,
	EXIT_USAGE = 2,
};

/* ---- main.c -----------------------------------------------------------------------------------*/

#define LIST_MAX 256

struct list {
	char *item[LIST_MAX];
	unsigned count;
};

enum strategy {
	STRATEGY_RANDOM,
	STRATEGY_PCT,
	STRATEGY_EXHAUSTIVE,
	STRATEGIES,
};
extern const char *const strategy_name[STRATEGIES];

#define MEMORIES 4
extern const char *const memory_name[MEMORIES];

/* What the command line says. An empty list means all. */
struct settings {
	struct list arch, options, scenario, memory;
	const char *mutation; /* run: the library with this mutation; null: as it is shipped */
	enum strategy strategy;
	uint64_t runs;  /* 0: not given */
	double seconds; /* 0: not given */
	uint64_t seed;
	unsigned jobs;
	unsigned shard, shards; /* 1 .. shards */
	unsigned preemptions, oddities;
	const char *json, *trace;
	int quick, verbose;
	const char *directory; /* where the engines are */
	char **argument;       /* what is not an option */
	int arguments;
};

/* One line on standard error, and exit 2. */
__attribute__((format(printf, 1, 2), noreturn)) void usage(const char *format, ...);

int list_has(const struct list *list, const char *name); /* true also if it is empty */
void *allocate(size_t size);                             /* zero bytes, or the end */
char *copy_of(const char *text);
__attribute__((format(printf, 1, 2))) char *text_of(const char *format, ...);

/* ---- catalog.c --------------------------------------------------------------------------------*/

struct scenario {
	char *name, *text;
	int small; /* the exhaustive search applies */
	int wrong; /* wrong use of ktlb: what else comes of it says nothing of a mutation */
};

struct engine {
	char *name; /* ARCH-OPTIONS or ARCH-OPTIONS+MUTATION */
	char *arch, *options;
	char *mutation; /* null: none */
	char *path;
	struct scenario *scenario;
	unsigned scenarios;
};

struct catalog {
	struct engine *engine;
	unsigned engines;
};

/* The engines in DIRECTORY/FILE, a name a line, that the settings ask for, with their scenarios. */
void catalog_read(struct catalog *catalog, const struct settings *settings, const char *file);
void engine_read_scenarios(struct engine *engine);

#define REACH_MAX 24 /* names in all scenarios together: the last sum has them all */

struct violation {
	char *name, *token, *text; /* name null: none */
	uint64_t run;              /* its number, from 0 */
};

/* What an engine has answered: one job's, or the sum of many. */
struct outcome {
	uint64_t runs, events;
	double seconds;
	int done;     /* it has ended as it should */
	int finished; /* exhaustive: the space is complete */
	uint64_t hash;
	uint64_t runs_now, events_now; /* of a job that is not done */
	struct {
		char *name;
		uint64_t count;
	} reach[REACH_MAX];
	unsigned reaches;
	struct violation violation;
	unsigned violations;
	char *error; /* the last line that made no sense */
};

void outcome_add_reach(struct outcome *outcome, const char *name, uint64_t count);
/* Adds one job's outcome to a sum. */
void outcome_add(struct outcome *sum, const struct outcome *part);
/* Frees what it holds. */
void outcome_clear(struct outcome *outcome);
/* A process has ended so: null if as it should, else why not. */
char *why_ended(int status);

/* One hunt, as an engine is told about it. */
struct hunt {
	const struct engine *engine;
	const char *scenario, *memory;
	enum strategy strategy;
	uint64_t seed, first, runs; /* runs 0: no limit */
	double seconds;             /* 0: no limit */
	unsigned preemptions, oddities;
};

/* Takes up a line of the answer to a hunt. */
void outcome_take(struct outcome *outcome, const struct hunt *hunt, char *line);

#define HUNT_ARGUMENTS 32
struct command {
	char *argument[HUNT_ARGUMENTS];
	char text[HUNT_ARGUMENTS][32];
};
void hunt_command(const struct hunt *hunt, struct command *command);
/* Runs one and waits for it. `status` is the process's. */
void hunt_now(const struct hunt *hunt, struct outcome *outcome, int *status);

/* Runs a program; its lines go to `take`. Returns its status. */
int run_lines(char *const argument[], void (*take)(void *context, char *line), void *context);

/* The engine that a token names, and the rest of it as a command line. */
void replay_command(const struct settings *settings, const char *token, struct command *command);
/* Prints the lanes of a violation. */
void print_lanes(const struct settings *settings, const char *token);

/* Cuts a line at its tabs. Returns the number of fields; the last one keeps what is too many. */
unsigned fields_of(char *line, char *field[], unsigned max);

/* ---- jobs.c -----------------------------------------------------------------------------------*/

/* A process: a program, or a function that prints lines and returns its exit code. */
struct job {
	void *subject;
	struct command *command;
	int (*function)(void *subject);
};

struct pool {
	unsigned jobs;
	void *context;
	int (*next)(void *context, struct job *job); /* 0: there is none any more */
	void (*line)(void *context, struct job *job, char *line);
	void (*end)(void *context, struct job *job, int status);
	/* For a terminal: what is done, as words and as a share of all, 0 to 1. */
	double (*progress)(void *context, char *text, size_t size);
};
void pool_run(struct pool *pool);
double now(void); /* seconds */

/* ---- run.c, mutants.c -------------------------------------------------------------------------*/

int command_list(const struct settings *settings);
int command_run(const struct settings *settings);
int command_merge(const struct settings *settings);
int command_replay(const struct settings *settings);
int command_litmus(const struct settings *settings);
int command_mutants(const struct settings *settings);

/* ---- report.c ---------------------------------------------------------------------------------*/

/* An engine's work on one scenario under one model, and what came of it. */
struct item {
	char *arch, *options, *mutation, *scenario, *memory; /* mutation null: none */
	const struct engine *engine;                         /* null: read from a file */
	uint64_t first, runs;                                /* asked for */
	uint64_t given;                                      /* given to jobs */
	struct outcome outcome;
};

struct report {
	struct item *item;
	unsigned items;
	const char *strategy;
	uint64_t seed;
	unsigned preemptions, oddities;
	unsigned shard, shards;
	double seconds; /* on the clock */
};

/* The table, the violations, what was never reached. Returns the exit code. */
int report_print(const struct report *report, const struct settings *settings);
void report_write(const struct report *report, const char *path);
/* Adds the items of a file that report_write has made. */
void report_read(struct report *report, const char *path);

/* A file that is complete or is not there. */
struct output {
	const char *path;
	char *temporary;
	FILE *file;
};
void output_open(struct output *output, const char *path);
void output_try(const char *path); /* null: nothing to try */
void output_close(struct output *output);
void json_text(FILE *file, const char *text);

/* 1234567 as 1.23 M. */
const char *short_number(double value, char *buffer, size_t size);

#endif /* KTLB_CHECK_FRONT_H */
