/* SPDX-License-Identifier: MIT */
/*
 * Tables and JSON.
 *
 * The JSON of a run has one item a line, in one fixed form, so that merging needs no parser: a
 * quotation mark within a text is escaped, so "key": at the place of a key is one.
 */
#include "front.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of fewer runs than this nothing is concluded from a race that was not reached. */
#define REACH_LEAST 1000

/* So many violations are shown with their lanes. */
#define LANES_MOST 1

const char *short_number(double value, char *buffer, size_t size)
{
	static const char *const unit[] = {"", " k", " M", " G"};
	unsigned i = 0;

	for (; value >= 1000 && i < 3; i++)
		value /= 1000;
	snprintf(buffer, size, i && value < 100 ? "%.1f%s" : "%.0f%s", value, unit[i]);
	return buffer;
}

/* ---- the table --------------------------------------------------------------------------------*/

static int same_row(const struct item *a, const struct item *b)
{
	return strcmp(a->arch, b->arch) == 0 && strcmp(a->scenario, b->scenario) == 0;
}

/* What the option sets and models of a scenario on an architecture amount to. */
static void print_row(const struct report *report, unsigned first)
{
	const struct item *row = &report->item[first];
	struct outcome sum = {0};
	char events[16];
	unsigned items = 0, finished = 0;

	for (unsigned i = 0; i < first; i++)
		if (same_row(&report->item[i], row))
			return;
	for (unsigned i = first; i < report->items; i++) {
		const struct outcome *outcome = &report->item[i].outcome;

		if (!same_row(&report->item[i], row))
			continue;
		outcome_add(&sum, outcome);
		items++;
		finished += outcome->finished != 0;
	}
	printf("%-26s %-7s %4u %10" PRIu64 " %8s  %s", row->scenario, row->arch, items, sum.runs,
	       short_number((double)sum.events, events, sizeof(events)),
	       sum.violations ? "VIOLATION  " : "");
	if (strcmp(report->strategy, "exhaustive") == 0)
		printf(finished == items ? "complete  " : "complete %u of %u  ", finished, items);
	for (unsigned i = 0; i < sum.reaches; i++)
		printf("%s%s %" PRIu64, i ? ", " : "", sum.reach[i].name, sum.reach[i].count);
	fputc('\n', stdout);
	outcome_clear(&sum);
}

static void print_item(const struct item *item)
{
	char events[16];

	printf("%-26s %-7s %-16s %-8s %10" PRIu64 " %8s  %016" PRIx64 "  ", item->scenario,
	       item->arch, item->options, item->memory, item->outcome.runs,
	       short_number((double)item->outcome.events, events, sizeof(events)),
	       item->outcome.hash);
	for (unsigned i = 0; i < item->outcome.reaches; i++)
		printf("%s%s %" PRIu64, i ? ", " : "", item->outcome.reach[i].name,
		       item->outcome.reach[i].count);
	fputc('\n', stdout);
}

static void print_table(const struct report *report, int verbose)
{
	if (verbose) {
		printf("%-26s %-7s %-16s %-8s %10s %8s  %-16s  races reached\n", "scenario", "arch",
		       "options", "memory", "runs", "events", "hash");
		for (unsigned i = 0; i < report->items; i++)
			print_item(&report->item[i]);
		return;
	}
	printf("%-26s %-7s %4s %10s %8s  races reached\n", "scenario", "arch", "sets", "runs",
	       "events");
	for (unsigned i = 0; i < report->items; i++)
		print_row(report, i);
}

/* ---- what is wrong ----------------------------------------------------------------------------*/

static int same_engine(const struct item *a, const struct item *b)
{
	return same_row(a, b) && strcmp(a->options, b->options) == 0;
}

/*
 * A race that an engine names and no model of the scenario has reached is a scenario that shows
 * nothing. With a violation the runs were cut short.
 */
static unsigned print_unreached(const struct report *report)
{
	unsigned unreached = 0;

	for (unsigned i = 0; i < report->items; i++) {
		const struct item *item = &report->item[i];
		struct outcome sum = {0};
		int first = 1;

		for (unsigned j = 0; j < report->items; j++) {
			if (!same_engine(item, &report->item[j]))
				continue;
			first &= j >= i;
			outcome_add(&sum, &report->item[j].outcome);
		}
		for (unsigned r = 0; first && r < sum.reaches; r++) {
			if (sum.reach[r].count || sum.runs < REACH_LEAST || sum.violations)
				continue;
			printf("NEVER REACHED  %s, %s-%s: %s, in %" PRIu64 " runs\n",
			       item->scenario, item->arch, item->options, sum.reach[r].name,
			       sum.runs);
			unreached++;
		}
		outcome_clear(&sum);
	}
	return unreached;
}

static unsigned print_violations(const struct report *report, const struct settings *settings)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < report->items; i++) {
		const struct item *item = &report->item[i];
		const struct violation *violation = &item->outcome.violation;

		if (!violation->name)
			continue;
		printf("\nVIOLATION  %s: %s\n  scenario %s, %s-%s%s%s, memory %s, run %" PRIu64
		       "\n",
		       violation->name, violation->text, item->scenario, item->arch, item->options,
		       item->mutation ? "+" : "", item->mutation ? item->mutation : "",
		       item->memory, violation->run);
		if (shown++ < LANES_MOST && item->engine)
			print_lanes(settings, violation->token);
		printf("  ktlb-check replay %s\n", violation->token);
	}
	return shown;
}

int report_print(const struct report *report, const struct settings *settings)
{
	struct outcome sum = {0};
	unsigned violations, unreached;
	char events[16], rate[16], event_rate[16];

	print_table(report, settings->verbose);
	for (unsigned i = 0; i < report->items; i++)
		outcome_add(&sum, &report->item[i].outcome);
	violations = print_violations(report, settings);
	unreached = print_unreached(report);
	printf("\n%s, seed %" PRIu64, report->strategy, report->seed);
	if (strcmp(report->strategy, "exhaustive") == 0)
		printf(", at most %u preemptions and %u oddities", report->preemptions,
		       report->oddities);
	if (report->shards > 1)
		printf(", shard %u of %u", report->shard, report->shards);
	printf(": %" PRIu64 " runs, %s events, %.1f s", sum.runs,
	       short_number((double)sum.events, events, sizeof(events)), report->seconds);
	if (sum.seconds > 0)
		printf("; %s runs/s, %s events/s a core",
		       short_number((double)sum.runs / sum.seconds, rate, sizeof(rate)),
		       short_number((double)sum.events / sum.seconds, event_rate,
		                    sizeof(event_rate)));
	printf("\n%u violation%s, %u race%s never reached: %s\n", violations,
	       violations == 1 ? "" : "s", unreached, unreached == 1 ? "" : "s",
	       violations || unreached ? "NOT CLEAN" : "clean");
	return violations || unreached ? EXIT_VIOLATION : EXIT_CLEAN;
}

/* ---- files ------------------------------------------------------------------------------------*/

void output_open(struct output *output, const char *path)
{
	output->path = path;
	output->temporary = text_of("%s.%ld.part", path, (long)getpid());
	output->file = fopen(output->temporary, "w");
	if (!output->file)
		usage("--json: %s: %s", path, strerror(errno));
}

/* Before hours of work: can that be written at all? */
void output_try(const char *path)
{
	struct output output;

	if (!path)
		return;
	output_open(&output, path);
	fclose(output.file);
	unlink(output.temporary);
}

void output_close(struct output *output)
{
	int good = !ferror(output->file);

	good &= fclose(output->file) == 0;
	if (!good || rename(output->temporary, output->path) != 0) {
		int error = errno;

		unlink(output->temporary);
		usage("--json: %s: %s", output->path, strerror(error));
	}
}

void json_text(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < 0x20)
			fprintf(file, "\\u%04x", c);
		else
			fputc(c, file);
	}
	fputc('"', file);
}

static void write_text(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\": ", key);
	json_text(file, text);
	fputs(", ", file);
}

static void write_item(FILE *file, const struct item *item)
{
	const struct outcome *outcome = &item->outcome;
	const struct violation *violation = &outcome->violation;

	fputc('{', file);
	write_text(file, "arch", item->arch);
	write_text(file, "options", item->options);
	write_text(file, "mutation", item->mutation ? item->mutation : "-");
	write_text(file, "scenario", item->scenario);
	write_text(file, "memory", item->memory);
	fprintf(file,
	        "\"first\": %" PRIu64 ", \"asked\": %" PRIu64 ", \"runs\": %" PRIu64
	        ", \"events\": %" PRIu64
	        ", \"seconds\": %.3f, \"finished\": %d, \"hash\": \"%016" PRIx64
	        "\", \"violations\": %u, ",
	        item->first, item->runs, outcome->runs, outcome->events, outcome->seconds,
	        outcome->finished, outcome->hash, outcome->violations);
	if (violation->name) {
		write_text(file, "violation", violation->name);
		write_text(file, "token", violation->token);
		write_text(file, "text", violation->text);
		fprintf(file, "\"run\": %" PRIu64 ", ", violation->run);
	}
	fputs("\"reach\": {", file);
	for (unsigned i = 0; i < outcome->reaches; i++) {
		fputs(i ? ", " : "", file);
		json_text(file, outcome->reach[i].name);
		fprintf(file, ": %" PRIu64, outcome->reach[i].count);
	}
	fputs("}}", file);
}

void report_write(const struct report *report, const char *path)
{
	struct output output;

	output_open(&output, path);
	fprintf(output.file,
	        "{\"ktlb_check\": 1, \"strategy\": \"%s\", \"seed\": %" PRIu64
	        ", \"preemptions\": %u, \"oddities\": %u, \"shard\": %u, \"shards\": %u, "
	        "\"clock\": %.3f, \"items\": [",
	        report->strategy, report->seed, report->preemptions, report->oddities,
	        report->shard, report->shards, report->seconds);
	for (unsigned i = 0; i < report->items; i++) {
		fputs(i ? ",\n" : "\n", output.file);
		write_item(output.file, &report->item[i]);
	}
	fputs("\n]}\n", output.file);
	output_close(&output);
}

/* ---- merging ----------------------------------------------------------------------------------*/

static const char *after_key(const char *line, const char *key)
{
	char *pattern = text_of("\"%s\": ", key);
	const char *found = strstr(line, pattern);

	if (found)
		found += strlen(pattern);
	free(pattern);
	return found;
}

/* The text after a key, or null. */
static char *read_text(const char *line, const char *key)
{
	const char *from = after_key(line, key);
	char *text, *to;
	unsigned code;

	if (!from || *from++ != '"')
		return 0;
	text = to = allocate(strlen(from) + 1);
	for (; *from && *from != '"'; from++) {
		if (*from != '\\')
			*to++ = *from;
		else if (*++from != 'u')
			*to++ = *from;
		else if (sscanf(from + 1, "%4x", &code) == 1)
			*to++ = (char)code, from += 4;
	}
	return text;
}

static uint64_t read_number(const char *line, const char *key, int base)
{
	const char *from = after_key(line, key);

	if (from && *from == '"')
		from++;
	return from ? strtoull(from, 0, base) : 0;
}

static double read_seconds(const char *line, const char *key)
{
	const char *from = after_key(line, key);

	return from ? strtod(from, 0) : 0;
}

static void read_reach(struct outcome *outcome, const char *line)
{
	const char *from = after_key(line, "reach");
	char name[128];
	uint64_t count;
	int length;

	if (!from)
		return;
	for (from++; sscanf(from, " \"%127[^\"]\": %" SCNu64 "%n", name, &count, &length) == 2;) {
		outcome_add_reach(outcome, name, count);
		from += length;
		if (*from == ',')
			from++;
	}
}

static struct item *find_item(struct report *report, const struct item *like)
{
	for (unsigned i = 0; i < report->items; i++) {
		struct item *item = &report->item[i];

		if (same_engine(item, like) && strcmp(item->memory, like->memory) == 0 &&
		    strcmp(item->mutation ? item->mutation : "-",
		           like->mutation ? like->mutation : "-") == 0)
			return item;
	}
	report->item = realloc(report->item, (report->items + 1) * sizeof(*report->item));
	if (!report->item)
		usage("out of memory");
	report->item[report->items] = *like;
	return &report->item[report->items++];
}

static void read_item(struct report *report, const char *line, const char *path)
{
	struct item like = {0}, *item;
	struct outcome part = {.done = 1};

	like.arch = read_text(line, "arch");
	like.options = read_text(line, "options");
	like.mutation = read_text(line, "mutation");
	like.scenario = read_text(line, "scenario");
	like.memory = read_text(line, "memory");
	if (!like.arch || !like.options || !like.mutation || !like.scenario || !like.memory)
		usage("%s: not what ktlb-check run --json writes", path);
	if (strcmp(like.mutation, "-") == 0)
		like.mutation = 0;
	like.first = read_number(line, "first", 10);
	item = find_item(report, &like);
	item->runs += read_number(line, "asked", 10);
	if (like.first < item->first)
		item->first = like.first;

	part.runs = read_number(line, "runs", 10);
	part.events = read_number(line, "events", 10);
	part.seconds = read_seconds(line, "seconds");
	part.finished = read_number(line, "finished", 10) != 0;
	part.hash = read_number(line, "hash", 16);
	part.violations = (unsigned)read_number(line, "violations", 10);
	part.violation.name = read_text(line, "violation");
	if (part.violation.name) {
		part.violation.token = read_text(line, "token");
		part.violation.text = read_text(line, "text");
		part.violation.run = read_number(line, "run", 10);
		if (!part.violation.token || !part.violation.text)
			usage("%s: a violation without its token", path);
	}
	read_reach(&part, line);
	outcome_add(&item->outcome, &part);
	outcome_clear(&part);
}

static void read_head(struct report *report, const char *line, const char *path)
{
	const char *strategy = read_text(line, "strategy");
	uint64_t seed = read_number(line, "seed", 10);

	if (!strategy || read_number(line, "ktlb_check", 10) != 1)
		usage("%s: not what ktlb-check run --json writes", path);
	if (report->strategy && (strcmp(report->strategy, strategy) != 0 || report->seed != seed))
		usage("%s: of another strategy or seed than the files before it", path);
	report->strategy = strategy;
	report->seed = seed;
	report->preemptions = (unsigned)read_number(line, "preemptions", 10);
	report->oddities = (unsigned)read_number(line, "oddities", 10);
	report->shard = report->shards = 1;
	report->seconds += read_seconds(line, "clock");
}

void report_read(struct report *report, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = 0;
	size_t size = 0;

	if (!file)
		usage("%s: %s", path, strerror(errno));
	if (getline(&line, &size, file) <= 0)
		usage("%s: is empty", path);
	read_head(report, line, path);
	while (getline(&line, &size, file) > 0)
		if (*line == '{')
			read_item(report, line, path);
	free(line);
	fclose(file);
}
