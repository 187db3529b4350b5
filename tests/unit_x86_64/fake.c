/* SPDX-License-Identifier: MIT */
/* The fake machine of fake.h, and ktlb's port for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "ktlb_priv.h"

#define PCIDE ((uint64_t)1 << 17)
#define PGE   ((uint64_t)1 << 7)
#define KEEP  ((uint64_t)1 << 63)

#define STORES 16 /* that wait at once; real ones have 40 and more */

struct fake_cpu fake_cpu[FAKE_CPUS];
uint32_t fake_cpuid1_ecx, fake_cpuid7_ebx;
struct fake_event fake_log[FAKE_LOG];
unsigned fake_events;
uint64_t fake_version[FAKE_ROOTS][FAKE_PAGES];
uint64_t fake_table_version[FAKE_ROOTS];
uint64_t fake_kernel_version[FAKE_KERNEL_PAGES];
int fake_no_delivery;
int fake_spares_globals;
int fake_loses;
uint64_t fake_clock_step;
static struct ktlb_stuck stucks[8];
struct ktlb_stuck *fake_stuck = stucks;
unsigned fake_stucks;
uint32_t fake_moves_to;
int fake_stores_wait;
int fake_quiet;

struct fake_secondary fake_secondary;

jmp_buf fake_fail_jump;
const char *fake_sentence;
int fake_expects_fail;

void (*fake_hook)(enum fake_op op, uint64_t operand);
void (*fake_access_hook)(enum fake_access access, const void *p);
void (*fake_others)(void);

uint64_t fake_cost[FAKE_IPI + 1], fake_refill;
static uint64_t now;
static int looks_until_refill; /* at the clock */

static _Thread_local uint32_t this_cpu;
static unsigned relaxed;     /* since the start */
static unsigned relax_depth; /* CPUs that wait, one inside the other */
static struct ktlb_cpu state[FAKE_CPUS];

static void die(const char *why)
{
	fprintf(stderr, "fake: %s\n", why);
	abort();
}

/* Everything that is logged is done with interrupts off: an interrupt in between would find half. */
static void log_event(enum fake_op op, uint64_t operand)
{
	struct fake_event event = {op, this_cpu, operand};

	if (!fake_this()->irqs_off)
		die("a privileged instruction with interrupts on");
	if (!fake_quiet) {
		if (fake_events < FAKE_LOG)
			fake_log[fake_events++] = event;
		now += fake_cost[op];
		if (op == FAKE_INVPCID)
			looks_until_refill = 2;
	}
	if (fake_hook) {
		fake_hook(op, operand);
		this_cpu = event.cpu;
	}
	fake_drain(STORES);
}

/* ---- memory -----------------------------------------------------------------------------------*/

/* Stores of a CPU that others do not see yet, oldest first. */
static struct buffer {
	struct {
		void *p;
		uint64_t value;
		unsigned long size;
	} store[STORES];
	unsigned stores;
} buffer[FAKE_CPUS];

static void write_memory(void *p, uint64_t value, unsigned long size)
{
	if (size == 8)
		__atomic_store_n((uint64_t *)p, value, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_SEQ_CST);
}

void fake_drain(unsigned stores)
{
	struct buffer *b = &buffer[this_cpu];

	if (stores > b->stores)
		stores = b->stores;
	for (unsigned i = 0; i < stores; i++)
		write_memory(b->store[i].p, b->store[i].value, b->store[i].size);
	b->stores -= stores;
	memmove(b->store, b->store + stores, b->stores * sizeof(b->store[0]));
}

unsigned fake_waiting(void)
{
	return buffer[this_cpu].stores;
}

/* What else is stored is a thread's own, and may be read past the buffer. */
static int is_shared(const void *p)
{
	return (uintptr_t)p - (uintptr_t)state < sizeof(state) ||
	       (uintptr_t)p - (uintptr_t)ktlb_cpus < sizeof(ktlb_cpus) ||
	       (uintptr_t)p - (uintptr_t)fake_version < sizeof(fake_version) ||
	       (uintptr_t)p - (uintptr_t)fake_table_version < sizeof(fake_table_version) ||
	       (uintptr_t)p - (uintptr_t)fake_kernel_version < sizeof(fake_kernel_version);
}

uint64_t fake_load(enum fake_access access, const void *p, unsigned long size)
{
	const struct buffer *b = &buffer[this_cpu];

	fake_order(access, p);
	for (unsigned i = b->stores; i-- > 0;)
		if (b->store[i].p == p)
			return b->store[i].value;
	return size == 8 ? __atomic_load_n((const uint64_t *)p, __ATOMIC_SEQ_CST)
	                 : __atomic_load_n((const uint32_t *)p, __ATOMIC_SEQ_CST);
}

void fake_store(enum fake_access access, void *p, uint64_t value, unsigned long size)
{
	struct buffer *b = &buffer[this_cpu];

	if (fake_stores_wait && is_shared(p)) {
		if (b->stores == STORES)
			fake_drain(1);
		b->store[b->stores].p = p;
		b->store[b->stores].value = value;
		b->store[b->stores++].size = size;
	} else {
		write_memory(p, value, size);
	}
	fake_order(access, p);
}

void fake_order(enum fake_access access, const void *p)
{
	uint32_t was = this_cpu;

	if (access >= FAKE_RMW && access != FAKE_FENCE_ACQUIRE && access != FAKE_FENCE_RELEASE)
		fake_drain(STORES);
	if (fake_access_hook)
		fake_access_hook(access, p);
	this_cpu = was;
}

/* ---- instructions -----------------------------------------------------------------------------*/

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

static int is_pcid(uint64_t id)
{
	return (id & ~(uint64_t)0x807) == 0;
}

static uint64_t index_of(uint64_t id)
{
	return (id & 7) | (id & 0x800 ? 8 : 0);
}

static uint64_t pcid(const struct fake_cpu *c)
{
	return c->cr4 & PCIDE ? index_of(c->cr3 & 0xfff) : 0;
}

static void empty(struct fake_cpu *c, uint64_t id)
{
	memset(c->cached[id], 0, sizeof(c->cached[id]));
	memset(c->kernel[id], 0, sizeof(c->kernel[id]));
	c->table[id] = 0;
}

static void empty_all(struct fake_cpu *c)
{
	for (uint64_t id = 0; id < FAKE_PCIDS; id++)
		empty(c, id);
	memset(c->kernel[FAKE_GLOBAL], 0, sizeof(c->kernel[FAKE_GLOBAL]));
}

void fake_write_cr3(uint64_t value)
{
	struct fake_cpu *c = fake_this();

	log_event(FAKE_CR3, value);
	if (!(c->cr4 & PCIDE) && (value & (KEEP | 0xfff)))
		die("CR3 has bits that fault without PCIDs");
	if (!is_pcid(value & 0xfff))
		die("a PCID that nobody should use");
	c->cr3 = value & ~KEEP;
	if (!(value & KEEP))
		empty(c, pcid(c));
}

void fake_write_cr4(uint64_t value)
{
	struct fake_cpu *c = fake_this();

	log_event(FAKE_CR4, value);
	if ((value & ~c->cr4 & PCIDE) && (c->cr3 & 0xfff))
		die("CR4.PCIDE is set while CR3[11:0] is not 0");
	if ((value ^ c->cr4) & PGE)
		empty_all(c);
	c->cr4 = value;
}

/* The page under the current PCID, or global; and the current PCID's paging-structure caches. */
void fake_invlpg(uint64_t va)
{
	struct fake_cpu *c = fake_this();

	log_event(FAKE_INVLPG, va);
	if (va >> 12 < FAKE_PAGES)
		c->cached[pcid(c)][va >> 12] = 0;
	if (va >= FAKE_KERNEL_VA(FAKE_KERNEL_PAGES - 1)) {
		uint64_t page = (-va >> 12) - 1;

		c->kernel[pcid(c)][page] = 0;
		if (!fake_spares_globals || !(c->cr4 & PCIDE))
			c->kernel[FAKE_GLOBAL][page] = 0;
	}
	c->table[pcid(c)] = 0;
}

void fake_invpcid(uint64_t type, uint64_t id, uint64_t va)
{
	struct fake_cpu *c = fake_this();

	log_event(FAKE_INVPCID, type);
	if (!(fake_cpuid7_ebx & 1u << 10))
		die("INVPCID on a CPU that has none");
	if (type == 0 && is_pcid(id) && va >> 12 < FAKE_PAGES) {
		c->cached[index_of(id)][va >> 12] = 0;
		return;
	}
	if (type != 2 || id != 0 || va != 0)
		die("an INVPCID that nobody should use");
	empty_all(c);
}

uint64_t fake_root(void)
{
	uint64_t root = fake_this()->cr3 >> 20;

	return root < FAKE_ROOTS ? root : 0;
}

/* From the TLB, or by a walk that fills it. */
static uint64_t lookup(uint64_t *cached, const uint64_t *version)
{
	if (!*cached)
		*cached = __atomic_load_n(version, __ATOMIC_ACQUIRE) + 1;
	return *cached - 1;
}

uint64_t fake_touch(uint32_t page)
{
	struct fake_cpu *c = fake_this();

	return lookup(&c->cached[pcid(c)][page], &fake_version[fake_root()][page]);
}

uint64_t fake_touch_kernel(uint32_t page)
{
	struct fake_cpu *c = fake_this();
	uint64_t id = c->cr4 & PGE ? FAKE_GLOBAL : pcid(c);

	return lookup(&c->kernel[id][page], &fake_kernel_version[page]);
}

uint64_t fake_walk(void)
{
	struct fake_cpu *c = fake_this();

	return lookup(&c->table[pcid(c)], &fake_table_version[fake_root()]);
}

void fake_interrupt(void)
{
	struct fake_cpu *c = fake_this();

	if (c->irqs_off || !__atomic_exchange_n(&c->ipi, 0, __ATOMIC_SEQ_CST))
		return;
	c->irqs_off = 1;
	ktlb_handle_ipi();
	c->irqs_off = 0;
}

void fake_interrupts(void)
{
	uint32_t was = this_cpu;

	for (uint32_t cpu = 0; cpu < FAKE_CPUS && !fake_no_delivery; cpu++) {
		fake_run_on(cpu);
		fake_interrupt();
	}
	fake_run_on(was);
}

/* Somebody waits. If interrupts do not arrive, each other CPU polls, as a spinning one would. */
void fake_relax(void)
{
	uint32_t was = this_cpu;

	if (!fake_quiet && ++relaxed > 100000)
		die("a CPU waits for an answer that does not come");
	if (fake_others) {
		fake_others();
		fake_run_on(was);
		return;
	}
	fake_interrupts();
	if (relax_depth++ == 0)
		for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
			if (cpu != was && fake_cpu[cpu].gs_base && fake_no_delivery) {
				fake_run_on(cpu);
				ktlb_poll();
			}
	relax_depth--;
	fake_run_on(was);
}

void fake_power_on(int has_pcid, int has_invpcid, int pge)
{
	memset(state, 0, sizeof(state));
	memset(fake_cpu, 0, sizeof(fake_cpu));
	memset(buffer, 0, sizeof(buffer));
	memset(fake_version, 0, sizeof(fake_version));
	memset(fake_table_version, 0, sizeof(fake_table_version));
	memset(fake_kernel_version, 0, sizeof(fake_kernel_version));
	fake_no_delivery = 0;
	fake_spares_globals = 0;
	fake_loses = 0;
	fake_clock_step = 0;
	fake_stucks = 0;
	fake_moves_to = 0;
	fake_hook = 0;
	fake_access_hook = 0;
	fake_others = 0;
	fake_stores_wait = 0;
	fake_quiet = 0;
	relaxed = 0;
	relax_depth = 0;
	fake_cpuid1_ecx = has_pcid ? 1u << 17 : 1u << 23;
	fake_cpuid7_ebx = has_invpcid ? 1u << 10 : 0;
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++) {
		fake_cpu[cpu].cr3 = FAKE_KERNEL_ROOT |
		                    0x18; /* attributes, as a boot loader leaves them */
		fake_cpu[cpu].cr4 = pge ? PGE : 0;
		fake_cpu[cpu].irqs_off = 1;
	}
	fake_run_on(0);
}

struct ktlb_cpu *fake_state(uint32_t cpu)
{
	return &state[cpu];
}

void fake_boot(const struct ktlb_config *config)
{
	ktlb_init(config);
	for (uint32_t cpu = 0; cpu < config->cpus; cpu++) {
		fake_run_on(cpu);
		ktlb_cpu_online(cpu, &state[cpu]);
		fake_this()->irqs_off = 0;
	}
	fake_run_on(0);
	fake_events = 0;
}

void fake_start(uint32_t cpus, int has_pcid, int has_invpcid, int pge)
{
	struct ktlb_config config = {.cpus = cpus, .kernel_root = FAKE_KERNEL_ROOT};

	fake_power_on(has_pcid, has_invpcid, pge);
	fake_boot(&config);
}

/* ---- the port ---------------------------------------------------------------------------------*/

void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	fake_sentence = sentence;
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
	return now += fake_clock_step;
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

void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus)
{
	uint32_t cpu;

	if (!fake_this()->irqs_off)
		die("an interrupt is sent with interrupts on");
	if (ktlb_cpuset_has(cpus, this_cpu))
		die("a CPU interrupts itself");
	ktlb_cpuset_for_each(cpu, cpus)
	{
		log_event(FAKE_IPI, cpu);
		if (fake_loses)
			fake_loses--;
		else
			__atomic_store_n(&fake_cpu[cpu].ipi, 1, __ATOMIC_SEQ_CST);
	}
}

void ktlb_port_stuck(const struct ktlb_stuck *stuck)
{
	if (fake_stucks == sizeof(stucks) / sizeof(stucks[0]))
		die("too many reports of one CPU");
	fake_stuck[fake_stucks++] = *stuck;
	if (fake_moves_to)
		fake_run_on(fake_moves_to);
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
