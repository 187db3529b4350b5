/* SPDX-License-Identifier: MIT */
/*
 * Every decision of a run is one call of sim_choose, and four searches answer it.
 *
 *   random      lots, with probabilities that are drawn afresh for every run from (seed, run): a setting
 *               that never finds a fault is then a waste of one run, not of all
 *   pct         probabilistic concurrency testing: CPUs have priorities, and at a few points, drawn
 *               beforehand, the running CPU's falls; a CPU that waits falls, too
 *   exhaustive  all runs with at most k choices of who goes on, and m of memory and interrupts, that are
 *               not 0. A run is made again from the start by its tape of choices; the last that can
 *               be another is changed
 *   replay      a tape given
 *
 * 0 must always be fair and late: what a CPU does by itself, stores that stay in their buffer, the newest
 * store, waiting CPUs in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define TAPE_MAX 16384
/* PCT needs the length of a run before it: near enough for scenarios of this size, and a constant, so
 * that a token means the same anywhere. */
#define PCT_LENGTH 400
#define PCT_DEPTH  3

static struct {
	uint16_t value, n;
	uint8_t kind;
} tape[TAPE_MAX];
static unsigned tape_length, tape_given, position;

static struct sim_search now;
static uint64_t lot;
static uint32_t chance[SIM_CHOICES]; /* of anything but 0, of 2^16 */
static unsigned hold_most;
static int exhausted, begun;

static int priority[SIM_CPUS];
static uint64_t pct_point[PCT_DEPTH];
static uint64_t pct_count;
static int pct_lowest;

static uint64_t draw(void)
{
	lot ^= lot << 13;
	lot ^= lot >> 7;
	lot ^= lot << 17;
	return lot * 0x2545f4914f6cdd1du >> 16;
}

static unsigned below(unsigned n)
{
	return (unsigned)((draw() & 0xffffffff) * n >> 32);
}

static void begin_random(void)
{
	static const uint16_t cpu[] = {32768, 16384, 8192, 4096, 2048};
	static const uint16_t odd[] = {32768, 8192, 2048, 512};

	lot = (now.seed + 1) * 0x9e3779b97f4a7c15u ^ (now.run + 1) * 0xd1342543de82ef95u;
	lot = lot ? lot : 1;
	for (unsigned i = 0; i < 4; i++)
		draw();
	memset(chance, 0, sizeof(chance));
	chance[SIM_CHOOSE_CPU] = cpu[below(5)];
	chance[SIM_CHOOSE_RELAX] = 32768;
	chance[SIM_CHOOSE_PREEMPT] = below(2) ? 0 : odd[1 + below(3)];
	chance[SIM_CHOOSE_THREAD] = 32768;
	chance[SIM_CHOOSE_INTERRUPT] = below(2) ? 32768 : 60000;
	chance[SIM_CHOOSE_DRAIN] = odd[below(4)];
	chance[SIM_CHOOSE_STORE] = below(4) ? (uint16_t)below(52000) : 0;
	chance[SIM_CHOOSE_OTHER] = 49152;
	hold_most = 1 + below(40);
}

static void begin_pct(void)
{
	begin_random();
	pct_count = 0;
	pct_lowest = 0;
	for (int i = 0; i < SIM_CPUS; i++)
		priority[i] = i + 1;
	for (int i = SIM_CPUS - 1; i > 0; i--) {
		int other = (int)below((unsigned)i + 1), swap = priority[i];

		priority[i] = priority[other];
		priority[other] = swap;
	}
	for (unsigned i = 0; i < PCT_DEPTH; i++)
		pct_point[i] = below(PCT_LENGTH);
}

/* The kinds that cost one of `preemptions`; the others cost one of `oddities`. */
static int of_scheduling(unsigned kind)
{
	return kind == SIM_CHOOSE_CPU || kind == SIM_CHOOSE_RELAX || kind == SIM_CHOOSE_PREEMPT ||
	       kind == SIM_CHOOSE_THREAD;
}

/* The next tape in the order of a depth-first search; false if there is none. */
static int next_tape(void)
{
	unsigned used[2] = {0, 0};
	unsigned in_all = now.preemptions > now.oddities ? now.preemptions : now.oddities;

	for (unsigned i = 0; i < tape_length; i++)
		if (tape[i].value)
			used[of_scheduling(tape[i].kind)]++;
	while (tape_length) {
		unsigned i = tape_length - 1;
		unsigned scheduling = (unsigned)of_scheduling(tape[i].kind);
		unsigned most = scheduling ? now.preemptions : now.oddities;

		if (tape[i].value)
			used[scheduling]--;
		if (tape[i].value + 1u < tape[i].n && used[scheduling] < most &&
		    used[0] + used[1] < in_all) {
			tape[i].value++;
			return 1;
		}
		tape_length--;
	}
	return 0;
}

/* "position.value,position.value" */
static void read_tape(const char *text)
{
	tape_given = 0;
	memset(tape, 0, sizeof(tape));
	while (*text) {
		char *end;
		unsigned long at = strtoul(text, &end, 10), value;

		if (*end != '.' || at >= TAPE_MAX)
			break;
		value = strtoul(end + 1, &end, 10);
		tape[at].value = (uint16_t)value;
		tape_given = (unsigned)at + 1;
		if (*end != ',')
			break;
		text = end + 1;
	}
}

int sim_search_begin(const struct sim_search *search)
{
	now = *search;
	position = 0;
	switch (now.strategy) {
	case SIM_RANDOM:
		begin_random();
		break;
	case SIM_PCT:
		begin_pct();
		break;
	case SIM_EXHAUSTIVE:
		if (begun && !next_tape())
			exhausted = 1;
		begun = 1;
		return !exhausted;
	case SIM_REPLAY_TAPE:
		read_tape(now.tape);
		tape_length = tape_given;
		break;
	}
	return 1;
}

void sim_search_restart(void)
{
	begun = exhausted = 0;
	tape_length = 0;
}

const char *sim_search_tape(void)
{
	static char text[4096];
	size_t at = 0;

	text[0] = 0;
	for (unsigned i = 0; i < tape_length && at < sizeof(text) - 16; i++)
		if (tape[i].value)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u.%u",
			                       at ? "," : "", i, tape[i].value);
	return text;
}

static unsigned from_tape(enum sim_choice kind, unsigned n)
{
	unsigned at = position++;

	if (at >= TAPE_MAX)
		sim_violation("limit", "more than %d choices in a run", TAPE_MAX);
	if (at >= tape_length) {
		if (now.strategy == SIM_REPLAY_TAPE)
			return 0;
		tape_length = at + 1;
		tape[at].value = 0;
	}
	tape[at].n = (uint16_t)n;
	tape[at].kind = (uint8_t)kind;
	return tape[at].value < n ? tape[at].value : 0;
}

static unsigned from_lots(enum sim_choice kind, unsigned n)
{
	if ((draw() & 0xffff) >= chance[kind])
		return 0;
	return 1 + (n == 2 ? 0 : below(n - 1));
}

unsigned sim_choose(enum sim_choice kind, unsigned n)
{
	unsigned choice;

	if (n <= 1)
		return 0;
	choice = now.strategy <= SIM_PCT ? from_lots(kind, n) : from_tape(kind, n);
	if (choice)
		sim_hash_add(choice + ((uint64_t)kind << 32));
	return choice;
}

unsigned sim_choose_cpu(enum sim_choice kind, const uint8_t *candidates, unsigned n)
{
	unsigned best = 0;

	if (now.strategy != SIM_PCT)
		return sim_choose(kind, n);
	pct_count++;
	for (unsigned i = 0; i < PCT_DEPTH; i++)
		if (pct_point[i] == pct_count)
			priority[candidates[0]] = --pct_lowest;
	if (kind == SIM_CHOOSE_RELAX)
		priority[sim_cur->number] = --pct_lowest;
	for (unsigned i = 1; i < n; i++)
		if (priority[candidates[i]] > priority[candidates[best]])
			best = i;
	sim_hash_add(candidates[best]);
	return best;
}

/* A bounded search defers for long, since deferring twice would cost twice. */
unsigned sim_hold(void)
{
	return now.strategy <= SIM_PCT ? 1 + below(hold_most) : 24;
}
