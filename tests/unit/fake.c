/* SPDX-License-Identifier: MIT */
/* The fake machine of fake.h, and ktlb's port for it. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktlb/ktlb.h>
#include <ktlb/port.h>

#include "fake.h"

struct fake_cpu fake_cpu[FAKE_CPUS];
struct fake_event fake_log[FAKE_LOG];
unsigned fake_events;
void (*fake_hook)(enum fake_op op);
unsigned fake_aliases;
int fake_quiet;

struct fake_secondary fake_secondary;

jmp_buf fake_fail_jump;
const char *fake_sentence;
uint64_t fake_got, fake_want;
int fake_expects_fail;

uint64_t fake_cost[FAKE_LOCK + 1], fake_refill;
static uint64_t now;
static int looks_until_refill; /* at the clock */

static _Thread_local uint32_t this_cpu;
static uint64_t tlb_ids; /* how many ids the CPUs have */
static struct ktlb_cpu state[KTLB_CFG_MAX_CPUS];

struct fake_cpu *fake_this(void)
{
	return &fake_cpu[this_cpu];
}

uint32_t fake_this_number(void)
{
	return this_cpu;
}

void fake_run_on(uint32_t cpu)
{
	this_cpu = cpu;
}

struct ktlb_cpu *fake_state(uint32_t cpu)
{
	return &state[cpu];
}

struct ktlb_cpu *fake_kernel_state(void)
{
	return &state[this_cpu];
}

/* The id that is in force on this CPU. */
static uint64_t current_id(const struct fake_cpu *c)
{
	return (KTLB_CFG_ARM64_ASID_IN_TTBR1 ? c->ttbr1 : c->ttbr0) >> 48;
}

/* From now on the walker may cache what the loaded root translates, and at once it does. */
static void fill(struct fake_cpu *c)
{
	uint64_t root = c->ttbr0 & 0xfffffffffffeull;
	uint64_t *cached = &c->root_under_id[current_id(c)];

	if (root == 0 || root == FAKE_EMPTY_TABLE)
		return;
	if (*cached != 0 && *cached != root)
		__atomic_fetch_add(&fake_aliases, 1, __ATOMIC_RELAXED);
	*cached = root;
}

static void forget(struct fake_cpu *c, uint64_t id)
{
	if (c->root_under_id)
		c->root_under_id[id] = 0;
}

void fake_point(enum fake_op op)
{
	void (*hook)(enum fake_op) = fake_hook;
	uint32_t cpu = this_cpu;

	if (fake_quiet || !hook)
		return;
	fake_hook = 0;
	hook(op);
	if (!fake_hook)
		fake_hook = hook;
	fake_run_on(cpu);
}

void fake_event(enum fake_op op, uint64_t operand, uint32_t flags)
{
	struct fake_cpu *c = fake_this();
	struct fake_event event = {op, operand, flags};

	if (!fake_quiet) {
		fake_point(op);
		if (fake_events == FAKE_LOG) {
			fprintf(stderr, "fake: more than %d events\n", FAKE_LOG);
			abort();
		}
		fake_log[fake_events++] = event;
	}

	if (!fake_quiet) {
		now += fake_cost[op];
		if (op == FAKE_TLBI_OWN)
			looks_until_refill = 2;
	}

	/* Broadcasts reach into the other CPUs' TLBs: only where one host thread runs them all. */
	switch (op) {
	case FAKE_TTBR0:
		c->ttbr0 = operand;
		fill(c);
		break;
	case FAKE_TTBR1:
		c->ttbr1 = operand;
		fill(c);
		break;
	case FAKE_TLBI_OWN:
		for (uint64_t id = 0; id < tlb_ids; id++)
			forget(c, id);
		break;
	case FAKE_TLBI_ALL:
		for (uint32_t cpu = 0; cpu < FAKE_CPUS && !fake_quiet; cpu++)
			if (fake_cpu[cpu].root_under_id)
				memset(fake_cpu[cpu].root_under_id, 0, tlb_ids * sizeof(uint64_t));
		break;
	case FAKE_TLBI_ID_OWN:
		forget(c, operand >> 48);
		break;
	case FAKE_TLBI_ID:
		for (uint32_t cpu = 0; cpu < FAKE_CPUS && !fake_quiet; cpu++)
			forget(&fake_cpu[cpu], operand >> 48);
		break;
	default:
		break;
	}
}

/* More CPUs than the host has may be waiting for one that is not running. */
void fake_relax(void)
{
	sched_yield();
}

void fake_clear_log(void)
{
	fake_events = 0;
}

void fake_reset(uint32_t id_bits, int ranges, int hints)
{
	static const uint64_t tg0[17] = {[12] = 0, [14] = 2, [16] = 1};
	static const uint64_t tg1[17] = {[12] = 2, [14] = 1, [16] = 3};

	tlb_ids = (uint64_t)1 << id_bits;
	memset(state, 0, sizeof(state));
	fake_clear_log();
	fake_hook = 0;
	fake_quiet = 0;
	fake_aliases = 0;
	looks_until_refill = 0;
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++) {
		struct fake_cpu *c = &fake_cpu[cpu];
		uint64_t *tlb = c->root_under_id;

		memset(c, 0, sizeof(*c));
		c->root_under_id = tlb;
		if (tlb)
			memset(tlb, 0, 65536 * sizeof(*tlb));
		c->mmfr0 = id_bits == 16 ? 2 << 4 : 0;
		c->mmfr2 = (hints ? (uint64_t)1 << 48 : 0) | 1; /* and FEAT_TTCNP */
		c->isar0 = (uint64_t)(ranges ? 2 : 1) << 56;
		c->tcr = (uint64_t)1 << 36 | (uint64_t)KTLB_CFG_ARM64_ASID_IN_TTBR1 << 22 |
		         tg0[KTLB_CFG_ARM64_GRANULE_SHIFT] << 14 |
		         tg1[KTLB_CFG_ARM64_GRANULE_SHIFT] << 30 |
		         (uint64_t)KTLB_CFG_ARM64_LPA2 << 59;
		c->ttbr1 = 0x7654000000;
		c->irqs_off = 1;
		c->thread[0] = c->thread[1] = cpu;
	}
	fake_run_on(0);
}

void fake_start(const struct ktlb_config *config, uint32_t first, uint32_t step)
{
	fake_run_on(first);
	ktlb_init(config);
	for (uint32_t i = 0; i < config->cpus; i++) {
		uint32_t cpu = first + i * step;

		fake_run_on(cpu);
		if (!fake_this()->root_under_id)
			fake_this()->root_under_id = calloc(65536, sizeof(uint64_t));
		ktlb_cpu_online(cpu, &state[cpu]);
	}
	fake_run_on(first);
	fake_clear_log();
}

/* ---- the port ---------------------------------------------------------------------------------*/

void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	fake_sentence = sentence;
	fake_got = got;
	fake_want = want;
	if (fake_expects_fail)
		longjmp(fake_fail_jump, 1);
	fprintf(stderr, "%s (got %#llx, want %#llx)\n", sentence, (unsigned long long)got,
	        (unsigned long long)want);
	abort();
}

#if KTLB_CFG_CLOCK
uint64_t ktlb_port_clock(void)
{
	if (looks_until_refill && --looks_until_refill == 0)
		now += fake_refill;
	return now;
}
#endif

uint64_t ktlb_port_irq_save(void)
{
	uint64_t saved = (uint64_t)fake_this()->irqs_off;

	fake_this()->irqs_off = 1;
	return saved;
}

void ktlb_port_irq_restore(uint64_t saved)
{
	fake_this()->irqs_off = (int)saved;
}

void ktlb_port_secondary(struct ktlb_space *space, uint64_t start, uint64_t size, uint32_t flags)
{
	fake_secondary.space = space;
	fake_secondary.start = start;
	fake_secondary.size = size;
	fake_secondary.flags = flags;
	fake_secondary.calls++;
}

static struct ktlb_trace_record trace[FAKE_TRACE];
struct ktlb_trace_record *fake_trace = trace;
unsigned fake_traced;

/* The oldest are kept. */
void fake_trace_add(const struct ktlb_trace_record *record)
{
	if (fake_traced < FAKE_TRACE)
		trace[fake_traced++] = *record;
}
