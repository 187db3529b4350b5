/* SPDX-License-Identifier: MIT */
/*
 * What happened, for people: kept only when a run is made again to be shown.
 *
 * Addresses are printed by the names that set-up gave to ranges, never as numbers: a replay is then equal to
 * the byte whatever compiler built it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"
#include "sim.h"
#include "trace.h"

#define NAMES 64
#define LINES 16384
#define TEXT  120

static struct {
	const char *start;
	size_t size, stride;
	unsigned count;
	const char *format;
} names[NAMES];
static unsigned name_count;

static struct {
	uint32_t cpu;
	char text[TEXT];
} lines[LINES];
static unsigned line_count;

int sim_tracing;

void trace_name(const void *start, size_t size, unsigned count, size_t stride, const char *format)
{
	if (name_count == NAMES)
		sim_violation("limit", "more than %d names", NAMES);
	names[name_count].start = start;
	names[name_count].size = size;
	names[name_count].count = count;
	names[name_count].stride = stride;
	names[name_count++].format = format;
}

void trace_forget_names(void)
{
	name_count = 0;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* The smallest range that has it; or, of a pointer to something whole, the largest that begins there. */
static const char *name_of(const void *address, int whole)
{
	static char text[4][80];
	static unsigned next;
	char *to = text[next++ % 4];
	const char *at = address;
	size_t best = whole ? 0 : ~(size_t)0;

	/* No address: where a compiler puts things is no matter. */
	snprintf(to, sizeof(text[0]), "a variable without a name");
	for (unsigned i = 0; i < name_count; i++) {
		size_t offset = (size_t)(at - names[i].start);
		size_t n = names[i].stride ? offset / names[i].stride : 0;
		size_t inside = names[i].stride ? offset % names[i].stride : offset;

		if (at < names[i].start || n >= names[i].count || inside >= names[i].size)
			continue;
		if (whole ? inside || names[i].size <= best : names[i].size >= best)
			continue;
		best = names[i].size;
		snprintf(to, sizeof(text[0]), names[i].format, (unsigned)n);
		if (inside >= 8 || (inside && names[i].size <= 8))
			snprintf(to + strlen(to), sizeof(text[0]) - strlen(to), "+%zu", inside);
	}
	return to;
}

const char *trace_name_of(const void *address)
{
	return name_of(address, 0);
}

static void add(uint32_t cpu, const char *format, va_list arguments)
{
	if (line_count == LINES)
		return;
	lines[line_count].cpu = cpu;
	vsnprintf(lines[line_count++].text, TEXT, format, arguments);
}

void trace_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(sim_cur ? sim_cur->number : 0, format, arguments);
	va_end(arguments);
}

void trace_note_on(uint32_t cpu, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(cpu, format, arguments);
	va_end(arguments);
}

/* Pointers by name, numbers as numbers. */
static const char *value_text(uint64_t value)
{
	static char text[4][40];
	static unsigned next;
	char *to = text[next++ % 4];
	const char *p = (const char *)(uintptr_t)value;

	if (p >= sim_data_start && p < sim_data_end)
		return name_of(p, 1);
	if (value < 10000)
		snprintf(to, sizeof(text[0]), "%llu", (unsigned long long)value);
	else
		snprintf(to, sizeof(text[0]), "%#llx", (unsigned long long)value);
	return to;
}

void trace_access(enum sim_trace_kind kind, const void *address, uint64_t value, uint64_t other)
{
	const char *name = trace_name_of(address);

	if (kind == TRACE_LOAD)
		trace_note("%s is %s", name, value_text(value));
	else if (kind == TRACE_STORE)
		trace_note("%s := %s%s", name, value_text(value),
		           sim_model == SIM_TSO ? " (buffered)" : "");
	else
		trace_note("%s: %s -> %s", name, value_text(other), value_text(value));
}

void trace_drained(uint32_t cpu, const void *address, uint64_t value)
{
	trace_note_on(cpu, "(visible: %s = %s)", trace_name_of(address), value_text(value));
}

void trace_fence(int order)
{
	trace_note("%s fence", order == __ATOMIC_SEQ_CST   ? "full"
	                       : order == __ATOMIC_ACQUIRE ? "acquire"
	                       : order == __ATOMIC_RELEASE ? "release"
	                                                   : "acquire and release");
}

void trace_begin(void)
{
	line_count = 0;
}

#define COLUMN 44

/* In its CPU's column; what is too long goes on below, indented. */
static void print_in_column(FILE *to, unsigned column, const char *text)
{
	int indent = 0;

	do {
		int width = COLUMN - 2 - indent;

		fprintf(to, " *     %*s%*s%.*s\n", (int)(column * COLUMN), "", indent, "", width,
		        text);
		text += strlen(text) < (size_t)width ? strlen(text) : (size_t)width;
		indent = 2;
	} while (*text);
}

/* Up to three CPUs side by side; more get a number in front. */
void trace_print(FILE *to)
{
	uint32_t column[SIM_CPUS];
	unsigned columns = 0;
	uint64_t seen[(SIM_CPUS + 63) / 64] = {0};

	for (unsigned i = 0; i < line_count; i++)
		seen[lines[i].cpu / 64] |= (uint64_t)1 << lines[i].cpu % 64;
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (seen[cpu / 64] >> cpu % 64 & 1)
			column[cpu] = columns++;
	if (columns <= 3) {
		fprintf(to, " *     ");
		for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
			if (seen[cpu / 64] >> cpu % 64 & 1)
				fprintf(to, "%-*s", column[cpu] + 1 < columns ? COLUMN : 0,
				        trace_cpu_name(cpu));
		fprintf(to, "\n");
	}
	for (unsigned i = 0; i < line_count; i++) {
		if (columns <= 3)
			print_in_column(to, column[lines[i].cpu], lines[i].text);
		else
			fprintf(to, " *     cpu%-3u %s\n", lines[i].cpu, lines[i].text);
	}
	if (line_count == LINES)
		fprintf(to, " *     (and more: only the first %d lines are kept)\n", LINES);
}

const char *trace_cpu_name(uint32_t cpu)
{
	static char text[4][16];
	static unsigned next;
	char *to = text[next++ % 4];

	snprintf(to, sizeof(text[0]), "cpu%u", cpu);
	return to;
}

static void json_string(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
}

/* One event a line of the trace, in the order of time; a "microsecond" is a step. */
void trace_write_json(FILE *to)
{
	fprintf(to, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"note\":\"simulated: a step "
	            "is one line of the trace, not a time\"},\"traceEvents\":[\n");
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		fprintf(to,
		        "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{"
		        "\"name\":\"cpu%u\"}},\n",
		        cpu, cpu);
	for (unsigned i = 0; i < line_count; i++) {
		fprintf(to, "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%u,\"dur\":1,\"name\":\"",
		        lines[i].cpu, i);
		json_string(to, lines[i].text);
		fprintf(to, "\"}%s\n", i + 1 < line_count ? "," : "");
	}
	fprintf(to, "]}\n");
}
