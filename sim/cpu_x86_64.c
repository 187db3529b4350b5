/* SPDX-License-Identifier: MIT */
/*
 * x86-64's privileged instructions, as Intel's manual says: SDM volume 3, "Process-Context
 * Identifiers (PCIDs)", "Operations that Invalidate TLBs and Paging-Structure Caches", "Serializing
 * Instructions", and volume 2, the page of each instruction. What the manual allows an instruction
 * to invalidate besides, it does not invalidate here.
 *
 * Each one has a point, and all that is said to be serialising is. Reads of what is this CPU's own
 * (CR3, CR4, %gs, RFLAGS) have none: no other CPU can tell.
 *
 * In set-up the CPU that acts is sim_setup_cpu, without points and barriers.
 */
#include <ktlb_arch/insn.h>

#include "sim.h"
#include "tlb.h"

#define CR3_KEEP    ((uint64_t)1 << 63) /* reserved unless CR4.PCIDE */
#define CR3_LAM     ((uint64_t)3 << 61)
#define CR3_PCID    ((uint64_t)0xfff)
#define CR3_CACHE   ((uint64_t)0x18) /* PWT, PCD: without PCIDs */
#define CR3_ADDRESS ((uint64_t)0x000ffffffffff000)
#define CR4_PGE     ((uint64_t)1 << 7)
#define CR4_PCIDE   ((uint64_t)1 << 17)

#define CPUID_LEAF_MAX  7u
#define CPUID1_PCID     ((uint32_t)1 << 17)
#define CPUID1_EDX_PGE  ((uint32_t)1 << 13)
#define CPUID7_INVPCID  ((uint32_t)1 << 10)
#define CANONICAL_SHIFT 47 /* 48-bit addresses */

const char sim_arch[] = "x86_64";

/* ---- machines ---------------------------------------------------------------------------------*/

static const struct features {
	int pcid, invpcid, global_pages;
} machines[] = {
	{1, 1, 1}, {1, 0, 1}, {0, 0, 1}, {1, 1, 0}, {0, 0, 0},
};
const char *const sim_machine_name[] = {
	"pcid+invpcid", "pcid", "no-pcid", "pcid-no-global", "no-pcid-no-global",
};
unsigned sim_machines = sizeof(machines) / sizeof(machines[0]);
uint32_t sim_machine_id_limit; /* ids are per CPU: always its own */
int sim_machine_repeat;        /* not here */

static struct features has = {1, 1, 1};

void sim_machine(unsigned machine)
{
	has = machines[machine];
}

/* As a kernel's start-up leaves it: global pages on, no PCIDs, a page table that is not ours. */
void sim_arch_reset(void)
{
	for (uint32_t i = 0; i < sim_cpu_count; i++) {
		sim_cpus[i].cr3 = 0;
		sim_cpus[i].cr4 = has.global_pages ? CR4_PGE : 0;
		sim_cpus[i].percpu_base = 0;
		tlb_context_none(i);
		tlb_set_globals(i, has.global_pages);
	}
}

/* ---- common -----------------------------------------------------------------------------------*/

static struct sim_cpu *self(void)
{
	return sim_cur ? sim_cur : sim_setup_cpu;
}

static struct sim_cpu *begin_serialising(uint64_t what)
{
	if (sim_cur) {
		sim_point();
		sim_hash_add(what);
		mem_barrier(MEM_SERIALISE);
	}
	return self();
}

static void fault(const char *why, uint64_t value)
{
	sim_violation("fault", "general protection on cpu%u: %s, %#llx", self()->number, why,
	              (unsigned long long)value);
}

static int pcids(const struct sim_cpu *c)
{
	return (c->cr4 & CR4_PCIDE) != 0;
}

static unsigned current_pcid(const struct sim_cpu *c)
{
	return pcids(c) ? (unsigned)(c->cr3 & CR3_PCID) : 0;
}

static void drop_pcid(const struct sim_cpu *c, unsigned pcid)
{
	const struct tlb_op op = {.id = pcid};

	tlb_invalidate(c->number, &op);
}

static void drop_all(const struct sim_cpu *c, int globals)
{
	const struct tlb_op op = {.any_id = 1, .globals = globals};

	tlb_invalidate(c->number, &op);
}

/* ---- CR3, CR4 ---------------------------------------------------------------------------------*/

uint64_t sim_insn_read_cr3(void)
{
	return self()->cr3;
}

uint64_t sim_insn_read_cr4(void)
{
	return self()->cr4;
}

static void check_cr3(const struct sim_cpu *c, uint64_t value)
{
	uint64_t allowed = CR3_ADDRESS | CR3_LAM | CR3_CACHE;

	if (pcids(c))
		allowed |= CR3_KEEP | CR3_PCID;
	if (value & ~allowed)
		fault("MOV CR3 with a reserved bit", value);
}

/* Bit 63 is not stored. Entries of other PCIDs, and global ones, stay. */
void sim_insn_write_cr3(uint64_t value)
{
	struct sim_cpu *c = begin_serialising(value);

	TRACE("mov cr3, %#llx", (unsigned long long)value);
	check_cr3(c, value);
	c->cr3 = value & ~CR3_KEEP;
	tlb_context_none(c->number);
	if (!(value & CR3_KEEP))
		drop_pcid(c, current_pcid(c));
	tlb_context_add(c->number, value & CR3_ADDRESS, current_pcid(c));
}

static void check_cr4(const struct sim_cpu *c, uint64_t value)
{
	if (value & ~(CR4_PGE | CR4_PCIDE))
		fault("MOV CR4 with a bit that this machine has not", value);
	if ((value & CR4_PCIDE) && !has.pcid)
		fault("CR4.PCIDE set, and there are no PCIDs", value);
	if ((value & CR4_PCIDE) && !pcids(c) && (c->cr3 & CR3_PCID))
		fault("CR4.PCIDE set while CR3[11:0] is not 0", c->cr3);
}

/* A change of PGE, or PCIDE cleared, empties everything. */
void sim_insn_write_cr4(uint64_t value)
{
	struct sim_cpu *c = begin_serialising(value);
	struct tlb_context contexts[TLB_CONTEXTS];
	uint64_t former = c->cr4;

	TRACE("mov cr4, %#llx", (unsigned long long)value);
	check_cr4(c, value);
	c->cr4 = value;
	tlb_set_globals(c->number, (value & CR4_PGE) != 0);
	if (((former ^ value) & CR4_PGE) || (former & ~value & CR4_PCIDE)) {
		unsigned loaded = tlb_contexts(c->number, contexts);

		tlb_context_none(c->number);
		drop_all(c, 1);
		if (loaded)
			tlb_context_add(c->number, c->cr3 & CR3_ADDRESS, current_pcid(c));
	}
}

/* ---- INVLPG, INVPCID --------------------------------------------------------------------------*/

static struct tlb_op at_address(uint64_t va, unsigned pcid)
{
	struct tlb_op op = {
		.id = pcid, .by_address = 1, .first = va, .last = va, .pages = 1, .blocks = 1};

	return op;
}

static int is_canonical(uint64_t va)
{
	uint64_t top = va >> CANONICAL_SHIFT;

	return top == 0 || top == ~(uint64_t)0 >> CANONICAL_SHIFT;
}

/* Of a non-canonical address: nothing, and no fault. */
void sim_insn_invlpg(uint64_t va)
{
	struct sim_cpu *c = begin_serialising(va);
	struct tlb_op op = at_address(va, current_pcid(c));

	TRACE("invlpg %#llx", (unsigned long long)va);
	if (!is_canonical(va))
		return;
	op.globals = 1;
	op.uppers = TLB_UPPERS_ALL;
	tlb_invalidate(c->number, &op);
}

enum {
	INVPCID_ADDRESS,
	INVPCID_SINGLE,
	INVPCID_ALL,
	INVPCID_ALL_BUT_GLOBALS,
	INVPCID_TYPES
};

static void check_invpcid(const struct sim_cpu *c, uint64_t type, uint64_t pcid, uint64_t va)
{
	if (!has.invpcid)
		sim_violation("fault", "undefined instruction on cpu%u: INVPCID", c->number);
	if (type >= INVPCID_TYPES)
		fault("INVPCID of a type that is none", type);
	if (pcid & ~CR3_PCID)
		fault("INVPCID with reserved bits in its descriptor", pcid);
	if (type <= INVPCID_SINGLE && pcid && !pcids(c))
		fault("INVPCID of a PCID while CR4.PCIDE is 0", pcid);
	if (type == INVPCID_ADDRESS && !is_canonical(va))
		fault("INVPCID of a non-canonical address", va);
}

void sim_insn_invpcid(uint64_t type, uint64_t pcid, uint64_t va)
{
	struct sim_cpu *c = begin_serialising(type ^ pcid ^ va);
	struct tlb_op op = at_address(va, (unsigned)(pcid & CR3_PCID));

	TRACE("invpcid %llu, pcid %#llx, %#llx", (unsigned long long)type, (unsigned long long)pcid,
	      (unsigned long long)va);
	check_invpcid(c, type, pcid, va);
	if (type == INVPCID_ADDRESS) {
		op.uppers = TLB_UPPERS_COVERING;
		tlb_invalidate(c->number, &op);
	} else if (type == INVPCID_SINGLE) {
		drop_pcid(c, op.id);
	} else {
		drop_all(c, type == INVPCID_ALL);
	}
}

/* ---- the rest ---------------------------------------------------------------------------------*/

void sim_insn_cpuid(uint32_t leaf, uint32_t subleaf, struct ktlb_cpuid *result)
{
	*result = (struct ktlb_cpuid){0, 0, 0, 0};
	begin_serialising(leaf);
	TRACE("cpuid %u", leaf);
	if (leaf == 0)
		result->eax = CPUID_LEAF_MAX;
	if (leaf == 1) {
		result->ecx = has.pcid ? CPUID1_PCID : 0;
		result->edx = CPUID1_EDX_PGE;
	}
	if (leaf == CPUID_LEAF_MAX && subleaf == 0)
		result->ebx = has.invpcid ? CPUID7_INVPCID : 0;
}

/* WRMSR. */
void sim_insn_write_gs_base(uint64_t value)
{
	begin_serialising(0)->percpu_base = value; /* where the copies lie is no matter */
	TRACE("wrmsr gs base");
}

/* One load at %gs:original; which CPU's copy that is, is decided by the load itself. */
void sim_former_life(uint32_t cpu, uint64_t root)
{
	sim_cpus[cpu].cr3 = root;
	tlb_context_none(cpu);
	if (root)
		tlb_context_add(cpu, root, 0);
	tlb_dirty(cpu);
}

uint64_t sim_insn_percpu_u64(const uint64_t *original)
{
	const uint64_t *copy = (const uint64_t *)((uintptr_t)original + self()->percpu_base);

	mem_plain(copy, sizeof(*copy), 0);
	return *copy;
}

uint32_t sim_insn_percpu_u32(const uint32_t *original)
{
	const uint32_t *copy = (const uint32_t *)((uintptr_t)original + self()->percpu_base);

	mem_plain(copy, sizeof(*copy), 0);
	return *copy;
}

int sim_insn_irqs_off(void)
{
	return self()->irqs_off;
}

/* IRET. */
void sim_enter_user(void)
{
	begin_serialising(0);
	TRACE("iret");
}

/* An interrupt's entry orders nothing. */
void sim_enter_interrupt(void)
{
}
