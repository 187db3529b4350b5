/* SPDX-License-Identifier: MIT */
/* See stub.h. */
#include <string.h>

#include "mem.h"
#include "stub.h"

struct sim_cpu sim_cpus[SIM_CPUS], *sim_cur, *sim_setup_cpu;
uint32_t sim_cpu_count;
uint64_t sim_hash;
int sim_tracing;

struct world w;
const char *violated;
unsigned points, serialised, dsbs, dsb_sts, next_choice;

/* The simulated memory. */
__attribute__((section("simdata"))) static uint64_t words[SIM_PTES];
static uint64_t *address_of[SIM_PTES];
static uint64_t history[SIM_PTES][SIM_PTE_VERSIONS];
static unsigned newest[SIM_PTES], oldest_read[SIM_CPUS][SIM_PTES];
static unsigned count;
static int lags;

void sim_violation(const char *name, const char *format, ...)
{
	(void)format;
	if (!violated)
		violated = name;
}

void sim_point(void)
{
	points++;
}

void sim_relax(void)
{
	points++;
}

unsigned sim_choose(enum sim_choice kind, unsigned n)
{
	(void)kind;
	return next_choice % n;
}

void trace_note(const char *format, ...)
{
	(void)format;
}

void mem_plain(const void *address, unsigned size, int write)
{
	(void)address;
	(void)size;
	(void)write;
}

static void catch_up(uint32_t cpu)
{
	memcpy(oldest_read[cpu], newest, sizeof(newest));
}

static void catch_up_all(void)
{
	for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
		catch_up(cpu);
}

void mem_barrier(enum mem_barrier kind)
{
	serialised += kind == MEM_SERIALISE || kind == MEM_DSB_NSH;
	dsbs += kind == MEM_DSB;
	dsb_sts += kind == MEM_DSB_ST;
	if (kind == MEM_SERIALISE || kind == MEM_DSB_NSH)
		catch_up(sim_cur->number);
	else
		catch_up_all();
}

void mem_pte(unsigned pte, uint64_t *address)
{
	address_of[pte] = address;
	count++;
}

unsigned mem_pte_newest(unsigned pte)
{
	return newest[pte];
}

uint64_t mem_pte_value(unsigned pte, unsigned version)
{
	return history[pte][version];
}

uint64_t mem_pte_visible(uint32_t cpu, unsigned pte)
{
	uint64_t up_to_newest = ~(uint64_t)0 >> (63 - newest[pte]);

	return up_to_newest & ~(uint64_t)0 << (lags ? oldest_read[cpu][pte] : newest[pte]);
}

void mem_pte_update(unsigned pte, uint64_t value)
{
	newest[pte]++;
	history[pte][newest[pte]] = value;
	*address_of[pte] = value;
	tlb_pte_stored(pte);
}

uint64_t leaf(uint64_t address, uint64_t flags)
{
	return address | PTE_PRESENT | PTE_ACCESSED | flags;
}

uint64_t pointer(uint64_t table)
{
	return leaf(table, 0);
}

unsigned store(unsigned pte, uint64_t value)
{
	mem_pte_update(pte, value);
	return newest[pte];
}

void set_up(unsigned pte, uint64_t value)
{
	*address_of[pte] = value;
}

void on(uint32_t cpu)
{
	sim_cur = &sim_cpus[cpu];
}

void lagging(void)
{
	lags = 1;
}

static unsigned table(uint64_t pa, int is_root, int space, uint64_t va, unsigned entries)
{
	unsigned pte = tlb_table(pa, is_root, space, va, &words[count], entries);

	return pte;
}

void world_begin(void)
{
	memset(words, 0, sizeof(words));
	count = 0;
	lags = 0;
	violated = 0;
	next_choice = 0;
	sim_cur = 0;
	sim_cpu_count = 3;
	sim_setup_cpu = &sim_cpus[0];
	memset(sim_cpus, 0, sizeof(sim_cpus));
	for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
		sim_cpus[cpu].number = cpu;
	tlb_begin();
	tlb_random = 0;
	tlb_break_before_make = 0;
	table(EMPTY_ROOT, 1, -2, 0, 0);
	w.kernel_upper = table(KERNEL_ROOT, 1, -1, KERNEL, 2);
	w.kernel_page = table(KERNEL_TABLE, 0, -1, KERNEL, 4);
	w.a_upper = table(A_ROOT, 1, 0, USER, 2);
	w.a_page = table(A_TABLE, 0, 0, USER, A_PAGES);
	w.b_upper = table(B_ROOT, 1, 1, USER, 2);
	w.b_page = table(B_TABLE, 0, 1, USER, 4);
	set_up(w.kernel_upper, pointer(KERNEL_TABLE));
	set_up(w.kernel_page, leaf(0x100000, PTE_GLOBAL));
	set_up(w.kernel_page + 1, leaf(0x101000, 0));
	set_up(w.a_upper, pointer(A_TABLE));
	set_up(w.b_upper, pointer(B_TABLE));
	set_up(w.a_page, leaf(0x200000, 0));
	set_up(w.a_page + 1, leaf(0x201000, 0));
	set_up(w.b_page, leaf(0x300000, 0));
}

void run_begin(void)
{
	for (unsigned pte = 0; pte < count; pte++)
		history[pte][0] = *address_of[pte];
	memset(newest, 0, sizeof(newest));
	tlb_snapshot();
	run_again();
}

void run_again(void)
{
	for (unsigned pte = 0; pte < count; pte++)
		*address_of[pte] = history[pte][0];
	memset(newest, 0, sizeof(newest));
	memset(oldest_read, 0, sizeof(oldest_read));
	tlb_reset();
	points = serialised = dsbs = dsb_sts = 0;
	on(0);
}

void mem_others_are_done(void)
{
}
