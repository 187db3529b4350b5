/* SPDX-License-Identifier: MIT */
/* What the tests on the fake machine share: spaces, steps of a CPU, and what the log must say. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "ktlb_asid_percpu.h"

#define SPACES 12
#define KEEP   ((uint64_t)1 << 63)

static struct ktlb_space space[SPACES]; /* number n has the root (n + 1) << 20 */

/* What a CPU may use now, as the test told it: null after ktlb_enter_lazy. */
static struct ktlb_space *runs[FAKE_CPUS];

static inline void new_spaces(void)
{
	memset(space, 0, sizeof(space));
	memset(runs, 0, sizeof(runs));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
	fake_events = 0;
}

static inline void start(uint32_t cpus, int pcid, int invpcid, int pge)
{
	fake_start(cpus, pcid, invpcid, pge);
	new_spaces();
}

static inline int with_pcid(void **unused)
{
	(void)unused;
	start(4, 1, 1, 1);
	return 0;
}

static inline int without_pcid(void **unused)
{
	(void)unused;
	start(4, 0, 0, 1);
	return 0;
}

static inline uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

static inline void switch_on(uint32_t cpu, struct ktlb_space *to)
{
	fake_run_on(cpu);
	fake_this()->irqs_off = 1;
	ktlb_switch(to);
	runs[cpu] = to;
	assert_null(ktlb_audit());
	fake_this()->irqs_off = 0;
	fake_interrupts();
}

static inline void lazy_on(uint32_t cpu)
{
	fake_run_on(cpu);
	fake_this()->irqs_off = 1;
	runs[cpu] = 0;
	ktlb_enter_lazy();
	fake_this()->irqs_off = 0;
	fake_interrupts();
}

/* The log is exactly these operations of these CPUs; then it is empty. */
static inline void expect(const struct fake_event *want, unsigned events)
{
	for (unsigned i = 0; i < events && i < fake_events; i++) {
		assert_int_equal(fake_log[i].op, want[i].op);
		assert_int_equal(fake_log[i].cpu, want[i].cpu);
		assert_int_equal(fake_log[i].operand, want[i].operand);
	}
	assert_int_equal(fake_events, events);
	fake_events = 0;
}
#define EXPECT(...)                                              \
	do {                                                     \
		const struct fake_event want_[] = {__VA_ARGS__}; \
                                                                 \
		expect(want_, sizeof(want_) / sizeof(want_[0])); \
	} while (0)
#define NOTHING() assert_int_equal(fake_events, 0)

#endif /* UNIT_H */
