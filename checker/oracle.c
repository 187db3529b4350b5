/* SPDX-License-Identifier: MIT */
/* What flushes have promised: see oracle.h. Not instrumented: it watches, and takes no part. */
#include "oracle.h"

#include <string.h>

static struct {
	int number; /* of the space; -1: the kernel's */
	int is_root;
	uint64_t pa, va, size;
	int parent;
	unsigned first, entries;
} tables[48];
static unsigned table_count;

unsigned sim_pte_floor[SIM_PTES];
static uint8_t table_of[SIM_PTES];
static unsigned pte_count;
static int user_of[SIM_CPUS]; /* the space that a CPU in user mode is in, + 1 */

struct oracle_reach oracle_reach[32];

void oracle_begin_world(void)
{
	table_count = pte_count = 0;
	memset(user_of, 0, sizeof(user_of));
}

void oracle_reset(void)
{
	memset(sim_pte_floor, 0, sizeof(sim_pte_floor));
	memset(user_of, 0, sizeof(user_of));
}

unsigned oracle_table(uint64_t pa, int is_root, int number, uint64_t va, uint64_t *words,
                      unsigned entries, int parent)
{
	unsigned first = tlb_table(pa, is_root, number, va, words, entries);
	unsigned shift = is_root ? TLB_UPPER_SHIFT : TLB_PAGE_SHIFT;

	tables[table_count].number = number;
	tables[table_count].is_root = is_root;
	tables[table_count].pa = pa;
	tables[table_count].va = va;
	tables[table_count].size = (uint64_t)entries << shift;
	tables[table_count].parent = parent;
	tables[table_count].first = first;
	tables[table_count].entries = entries;
	for (unsigned i = 0; i < entries; i++)
		table_of[first + i] = (uint8_t)table_count;
	table_count++;
	pte_count = first + entries;
	return first;
}

static uint64_t pte_va(unsigned pte, uint64_t *size)
{
	unsigned t = table_of[pte];
	unsigned shift = tables[t].is_root ? TLB_UPPER_SHIFT : TLB_PAGE_SHIFT;

	*size = (uint64_t)1 << shift;
	return tables[t].va + ((uint64_t)(pte - tables[t].first) << shift);
}

static uint64_t older_than(unsigned version)
{
	return version > 63 ? ~(uint64_t)0 : ((uint64_t)1 << version) - 1;
}

void oracle_reached(const char *name)
{
	for (unsigned i = 0; i < 32; i++) {
		if (!oracle_reach[i].name)
			oracle_reach[i].name = name;
		if (!strcmp(oracle_reach[i].name, name)) {
			oracle_reach[i].count++;
			return;
		}
	}
}

static void count_alive(unsigned pte, unsigned version)
{
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
		if (cpu != sim_cur->number && (tlb_usable(cpu, pte) & older_than(version))) {
			oracle_reached("stale-entry-alive");
			return;
		}
}

/* Was the last thing there a block? Then a flush of leaves is about it. */
static int was_block(unsigned pte)
{
	for (unsigned v = mem_pte_newest(pte) + 1; v-- > 0;) {
		uint64_t value = mem_pte_value(pte, v);

		if (value & PTE_PRESENT)
			return (value & PTE_LEAF) != 0;
	}
	return 0;
}

void oracle_promise(struct oracle_promise *p, const char *what, int number, uint64_t va,
                    uint64_t size, int leaf_only)
{
	memset(p->covered, 0, sizeof(p->covered));
	p->what = what;
	for (unsigned pte = 0; pte < pte_count; pte++) {
		uint64_t entry_size, at = pte_va(pte, &entry_size);
		unsigned t = table_of[pte];

		if (tables[t].number != number || at + (entry_size - 1) < va ||
		    at > va + (size - 1))
			continue;
		if (leaf_only && tables[t].is_root && !was_block(pte))
			continue;
		p->covered[pte / 64] |= (uint64_t)1 << pte % 64;
		p->version[pte] = (uint8_t)mem_pte_view(sim_cur->number, pte);
		count_alive(pte, p->version[pte]);
	}
}

/* Is this leaf table where some version of its parent that is not forbidden says? */
static int linked(unsigned t)
{
	int parent = tables[t].parent;

	if (parent < 0)
		return 1;
	for (unsigned v = sim_pte_floor[parent]; v <= mem_pte_newest((unsigned)parent); v++) {
		uint64_t value = mem_pte_value((unsigned)parent, v);

		if ((value & PTE_PRESENT) && !(value & PTE_LEAF) &&
		    PTE_ADDRESS(value) == tables[t].pa)
			return 1;
	}
	return 0;
}

static void check_pte(uint32_t cpu, unsigned pte)
{
	uint64_t usable = tlb_usable(cpu, pte), stale;
	unsigned t = table_of[pte];

	if (!usable)
		return;
	stale = linked(t) ? usable & older_than(sim_pte_floor[pte]) : usable;
	if (stale)
		sim_violation("stale-access",
		              "cpu%u can use %s as it was (version %u), although a flush of "
		              "version %u has returned%s",
		              cpu,
		              tables[t].number < 0 ? "an entry of the kernel's half" : "an entry",
		              (unsigned)__builtin_ctzll(stale), sim_pte_floor[pte],
		              linked(t) ? "" : "; its table is gone");
}

/* The kernel's half may be used by any CPU at any time. */
static void check_kernel(uint32_t cpu)
{
	for (unsigned pte = 0; pte < pte_count; pte++)
		if (tables[table_of[pte]].number < 0)
			check_pte(cpu, pte);
}

void oracle_online(uint32_t cpu)
{
	check_kernel(cpu);
}

void oracle_user(uint32_t cpu, int number)
{
	for (unsigned pte = 0; pte < pte_count; pte++) {
		unsigned t = table_of[pte];
		int foreign;

		if (tables[t].number != number && tables[t].number >= 0)
			continue;
		check_pte(cpu, pte);
		if (tables[t].number >= 0 && (foreign = tlb_foreign(cpu, pte)) >= 0)
			sim_violation(
				"two-spaces-under-one-id",
				"cpu%u runs space %d under id %u, and holds an entry of space "
				"%d under it",
				cpu, number, tlb_id(cpu), tables[table_of[foreign]].number);
	}
}

void oracle_in_user(uint32_t cpu, int number)
{
	user_of[cpu] = number + 1;
}

void oracle_keep(const struct oracle_promise *p)
{
	for (unsigned pte = 0; pte < pte_count; pte++) {
		if (!(p->covered[pte / 64] >> pte % 64 & 1))
			continue;
		if (p->version[pte] > sim_pte_floor[pte])
			sim_pte_floor[pte] = p->version[pte];
	}
	TRACE("promised: %s is done", p->what);
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		if (sim_cpus[cpu].absent || sim_cpus[cpu].starting)
			continue;
		check_kernel(cpu);
		if (user_of[cpu])
			oracle_user(cpu, user_of[cpu] - 1);
	}
}

void oracle_destroyed(int number, uint64_t root_pa)
{
	int cpu = tlb_root_loaded(root_pa);

	if (cpu >= 0)
		sim_violation("root-after-destroy",
		              "ktlb_space_destroy has returned, and cpu%d can still walk from the "
		              "root of space %d",
		              cpu, number);
	for (unsigned pte = 0; pte < pte_count; pte++)
		if (tables[table_of[pte]].number == number)
			sim_pte_floor[pte] = mem_pte_newest(pte) + 1;
	for (unsigned t = 0; t < table_count; t++)
		if (tables[t].number == number)
			tlb_table_free(tables[t].pa);
}
