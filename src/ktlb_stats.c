/* SPDX-License-Identifier: MIT */
/*
 * The counts, for people: a line for each counter that is not 0, and how they are spread over the CPUs.
 */
#include "ktlb_text.h"

static uint64_t count_of(uint32_t cpu, uint32_t counter)
{
	const struct ktlb_cpu *state = ktlb_load_dependency(&ktlb_cpus[cpu]);

	return state ? ktlb_load_relaxed(&state->count[counter]) : 0;
}

/* The CPU that counts most of them, and how many: one that does it all is worth seeing. */
static void add_busiest(struct ktlb_text *text, uint32_t counter)
{
	uint32_t busiest = 0;

	for (uint32_t cpu = 1; cpu < KTLB_CFG_MAX_CPUS; cpu++)
		if (count_of(cpu, counter) > count_of(busiest, counter))
			busiest = cpu;
	ktlb_text_add(text, ", most on CPU ");
	ktlb_text_number(text, busiest, 10);
	ktlb_text_add(text, ": ");
	ktlb_text_number(text, count_of(busiest, counter), 10);
}

void ktlb_stats_print(ktlb_print_line *print, void *arg)
{
	struct ktlb_stats sum;
	struct ktlb_text text;

	ktlb_clear_words(sum.count, KTLB_COUNTERS);
	ktlb_stats_add(&sum);
	if (!KTLB_CFG_COUNT)
		print(arg, "ktlb: counters are compiled out, KTLB_CFG_COUNT is 0");
	for (uint32_t i = 0; i < KTLB_COUNTERS; i++) {
		if (!sum.count[i])
			continue;
		ktlb_text_begin(&text, "ktlb: ");
		ktlb_text_add(&text, ktlb_counter_name((enum ktlb_counter)i));
		ktlb_text_add(&text, " ");
		ktlb_text_number(&text, sum.count[i], 10);
		add_busiest(&text, i);
		print(arg, text.line);
	}
}
