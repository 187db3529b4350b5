/* SPDX-License-Identifier: MIT */
/*
 * arm64's privileged instructions, as the Arm ARM (DDI 0487) says. Sections by their titles: "TLB
 * maintenance instructions", "Ordering and completion of TLB maintenance instructions",
 * "Synchronization requirements for AArch64 System registers", "Data Synchronization Barrier";
 * operands on the page of each instruction.
 *
 *   TLBI       begins where it stands, and is complete at the next DSB of the same CPU: DSB ISH for
 *              those that are broadcast, any DSB of loads and stores for the local one
 *   MSR TTBRn  takes effect anywhere up to the next context synchronisation (ISB, exception entry
 *              and return), each register by itself: until then walks may use former values, too
 *   DSB        orders memory for CPUs and walkers; an ISB does not
 *
 * What is implementation defined goes the worst way that the manual allows: a hint that does not
 * fit invalidates nothing. What it forbids to software (reserved bits, absent instructions, CnP) is
 * a violation.
 *
 * All have a point, but for reads of what is this CPU's own or constant. In set-up the CPU that
 * acts is sim_setup_cpu, without points and barriers. The tables of the simulated machine are those
 * of a 4 KiB granule.
 */
#include <ktlb/config.h>
#include <ktlb_arch/insn.h>

#include "sim.h"
#include "tlb.h"

#if KTLB_CFG_ARM64_GRANULE_SHIFT != 12
#error "the simulated machine has 4 KiB granules"
#endif

#define TTBR_CNP        ((uint64_t)1)
#define TTBR_ADDRESS    ((uint64_t)0x0000fffffffffffe)
#define OPERAND_ID      48 /* TTBRs too: where the ASID begins */
#define OPERAND_GRANULE 46 /* range operands */
#define GRANULE_4K      1u /* in TG, and in the upper half of TTL */
#define LEVEL_BLOCK     2u
#define LEVEL_PAGE      3u
#define BLOCK_MASK      (((uint64_t)1 << TLB_UPPER_SHIFT) - 1)

#define TCR_A1     ((uint64_t)KTLB_CFG_ARM64_ASID_IN_TTBR1 << 22)
#define TCR_TG1_4K ((uint64_t)2 << 30) /* TG0: 0 */
#define TCR_AS     ((uint64_t)1 << 36)
#define TCR_DS     ((uint64_t)KTLB_CFG_ARM64_LPA2 << 59)

const char sim_arch[] = "arm64";

/* ---- machines ---------------------------------------------------------------------------------*/

static const struct features {
	int id_bits, range, ttl;
	uint32_t id_limit;
	int repeat; /* the erratum: one TLBI and DSB are not enough */
} machines[] = {
	{16, 1, 1, 0, 0},
	{8, 1, 1, 0, 0},
	{16, 0, 0, 0, 0},
	{16, 1, 1, 0, 1},
};
const char *const sim_machine_name[] = {"asid16", "asid8", "no-range-no-ttl", "repeat-tlbi"};
unsigned sim_machines = sizeof(machines) / sizeof(machines[0]);
uint32_t sim_machine_id_limit;

int sim_machine_repeat;

static struct features has = {16, 1, 1, 0, 0};

void sim_machine(unsigned machine)
{
	has = machines[machine];
	sim_machine_id_limit = has.id_limit;
	sim_machine_repeat = has.repeat;
}

void sim_arch_reset(void)
{
	tlb_break_before_make = 1;
	for (uint32_t i = 0; i < sim_cpu_count; i++) {
		sim_cpus[i].ttbr0 = sim_cpus[i].ttbr1 = 0;
		sim_cpus[i].tcr = TCR_A1 | TCR_TG1_4K | TCR_DS | (has.id_bits == 16 ? TCR_AS : 0);
		sim_cpus[i].percpu_base = 0;
		tlb_context_none(i);
		tlb_set_globals(i, 1);
	}
}

/* ---- common -----------------------------------------------------------------------------------*/

static struct sim_cpu *self(void)
{
	return sim_cur ? sim_cur : sim_setup_cpu;
}

static struct sim_cpu *begin(uint64_t what)
{
	if (sim_cur) {
		sim_point();
		sim_hash_add(what);
	}
	return self();
}

static void barrier(enum mem_barrier kind)
{
	if (sim_cur)
		mem_barrier(kind);
}

static void undefined(const char *what, uint64_t operand)
{
	sim_violation("fault", "cpu%u: %s, %#llx", self()->number, what,
	              (unsigned long long)operand);
}

/* With 8 bits the upper half of the field is ignored. */
static unsigned id_of(uint64_t value)
{
	return (unsigned)(value >> OPERAND_ID) & ((1u << has.id_bits) - 1);
}

/* ---- the translation table bases --------------------------------------------------------------*/

static unsigned id_now(const struct sim_cpu *c)
{
	return id_of(TCR_A1 ? c->ttbr1 : c->ttbr0);
}

static void synchronise_context(struct sim_cpu *c)
{
	struct tlb_context contexts[TLB_CONTEXTS];

	tlb_synchronised(c->number);
	if (tlb_contexts(c->number, contexts) < 2)
		return;
	tlb_context_none(c->number);
	tlb_context_add(c->number, c->ttbr0 & TTBR_ADDRESS, id_now(c));
}

static void check_ttbr(uint64_t value)
{
	if (value & TTBR_CNP)
		sim_violation("cnp", "cpu%u sets TTBR.CnP: this machine shares no TLB entries",
		              self()->number);
}

void sim_insn_write_ttbr0(uint64_t value)
{
	struct sim_cpu *c = begin(value);
	struct tlb_context contexts[TLB_CONTEXTS];
	unsigned n = tlb_contexts(c->number, contexts);

	TRACE("msr ttbr0_el1, %#llx", (unsigned long long)value);
	check_ttbr(value);
	c->ttbr0 = value;
	/* The other register may still be any of its former values. */
	for (unsigned i = 0; TCR_A1 && i < n; i++)
		tlb_context_add(c->number, value & TTBR_ADDRESS, contexts[i].id);
	tlb_context_add(c->number, value & TTBR_ADDRESS, id_now(c));
}

/* The kernel's root does not change; the id may be here. */
void sim_insn_write_ttbr1(uint64_t value)
{
	struct sim_cpu *c = begin(value);
	struct tlb_context contexts[TLB_CONTEXTS];
	unsigned n = tlb_contexts(c->number, contexts);

	TRACE("msr ttbr1_el1, %#llx", (unsigned long long)value);
	check_ttbr(value);
	if ((value ^ c->ttbr1) & TTBR_ADDRESS)
		sim_violation("unknown-root", "cpu%u loads %#llx in TTBR1_EL1, which held %#llx",
		              c->number, (unsigned long long)value, (unsigned long long)c->ttbr1);
	c->ttbr1 = value;
	for (unsigned i = 0; TCR_A1 && i < n; i++)
		tlb_context_add(c->number, contexts[i].root, id_of(value));
}

void sim_former_life(uint32_t cpu, uint64_t root)
{
	sim_cpus[cpu].ttbr0 = root | (uint64_t)1 << OPERAND_ID;
	tlb_context_none(cpu);
	if (root)
		tlb_context_add(cpu, root, 1);
	tlb_dirty(cpu);
}

/* ---- barriers ---------------------------------------------------------------------------------*/

void sim_insn_isb(void)
{
	struct sim_cpu *c = begin(1);

	TRACE("isb");
	synchronise_context(c);
}

/*
 * With the erratum a DSB is only half of what completes a TLBI. The other half is a second TLBI, of any operand,
 * and its DSB, on whichever CPU.
 */
static void complete_broadcasts(struct sim_cpu *c)
{
	if (!has.repeat) {
		tlb_complete(c->number, 0);
		return;
	}
	if (c->tlbi_since_dsb)
		for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++)
			if (sim_cpus[cpu].half_complete) {
				sim_cpus[cpu].half_complete = 0;
				tlb_complete_by(c->number, cpu, 0);
			}
	c->half_complete = tlb_outstanding(c->number);
	c->tlbi_since_dsb = 0;
}

void sim_insn_dsb_ish(void)
{
	struct sim_cpu *c = begin(2);

	TRACE("dsb ish");
	barrier(MEM_DSB);
	if (sim_cur && tlb_outstanding(c->number))
		mem_others_are_done(); /* with what they used the old translations for */
	complete_broadcasts(c);
	tlb_complete(c->number, 1);
}

/* Completes no TLBI: those count as loads and stores. */
void sim_insn_dsb_ishst(void)
{
	begin(3);
	TRACE("dsb ishst");
	barrier(MEM_DSB_ST);
}

/* This CPU alone. */
void sim_insn_dsb_nsh(void)
{
	struct sim_cpu *c = begin(4);

	TRACE("dsb nsh");
	barrier(MEM_DSB_NSH);
	tlb_complete(c->number, 1);
}

/* ERET. */
void sim_enter_user(void)
{
	struct sim_cpu *c = begin(5);

	TRACE("eret");
	synchronise_context(c);
}

void sim_enter_interrupt(void)
{
	synchronise_context(self());
}

/* ---- TLBI -------------------------------------------------------------------------------------*/

static void everything(struct sim_cpu *c, int local)
{
	const struct tlb_op op = {.any_id = 1, .globals = 1};

	tlb_issue(c->number, local, &op);
	c->tlbi_since_dsb |= !local;
}

void sim_insn_tlbi_vmalle1(void)
{
	struct sim_cpu *c = begin(6);

	TRACE("tlbi vmalle1");
	everything(c, 1);
}

void sim_insn_tlbi_vmalle1is(void)
{
	struct sim_cpu *c = begin(7);

	TRACE("tlbi vmalle1is");
	everything(c, 0);
}

#define ASID_OPERAND ((uint64_t)0xffff << OPERAND_ID)

static void by_id(int local, uint64_t operand)
{
	struct sim_cpu *c = begin(operand);
	const struct tlb_op op = {.id = id_of(operand)};

	TRACE("tlbi aside1%s, %#llx", local ? "" : "is", (unsigned long long)operand);
	if (operand & ~ASID_OPERAND)
		undefined("TLBI ASIDE1[IS] with reserved bits", operand);
	tlb_issue(c->number, local, &op);
	c->tlbi_since_dsb |= !local;
}

void sim_insn_tlbi_aside1is(uint64_t operand)
{
	by_id(0, operand);
}

void sim_insn_tlbi_aside1(uint64_t operand)
{
	by_id(1, operand);
}

/*
 * A hint names the level of the leaves: only those need to go, and tables on the way to them.
 * Level 0: no hint.
 */
static void apply_hint(struct tlb_op *op, unsigned level)
{
	op->pages = level == 0 || level == LEVEL_PAGE;
	op->blocks = level == 0 || level == LEVEL_BLOCK;
	if (!op->pages)
		op->uppers =
			TLB_UPPERS_NONE; /* the simulated tables have no level above a block's */
}

/* Bits from bit 55 of the address up are copies of it. */
static uint64_t sign_extend(uint64_t va, unsigned top)
{
	return (uint64_t)((int64_t)(va << (63 - top)) >> (63 - top));
}

/* VA[55:12] in [43:0], TTL in [47:44]. */
static int decode_va(uint64_t operand, struct tlb_op *op)
{
	unsigned ttl = (unsigned)(operand >> 44) & 15, granule = ttl >> 2, level = ttl & 3;

	op->first = sign_extend((operand & (((uint64_t)1 << 44) - 1)) << 12, 55);
	op->last = op->first + ((uint64_t)1 << TLB_PAGE_SHIFT) - 1;
	if (ttl && !has.ttl)
		undefined("TLBI by address with reserved bits: there is no FEAT_TTL", operand);
	if (granule == 0) {
		apply_hint(op, 0);
		return 1;
	}
	if (granule != GRANULE_4K || (level == 0 && KTLB_CFG_ARM64_LPA2))
		return 0;
	apply_hint(op, level);
	return 1;
}

/* BaseADDR in [36:0], TTL [38:37], NUM [43:39], SCALE [45:44], TG [47:46]. */
static int decode_range(uint64_t operand, struct tlb_op *op)
{
	uint64_t base = operand & (((uint64_t)1 << 37) - 1);
	unsigned level = (unsigned)(operand >> 37) & 3, num = (unsigned)(operand >> 39) & 31;
	unsigned scale = (unsigned)(operand >> 44) & 3;
	unsigned shift = KTLB_CFG_ARM64_LPA2 ? 16 : TLB_PAGE_SHIFT;
	uint64_t pages = (uint64_t)(num + 1) << (5 * scale + 1);

	if (!has.range)
		undefined("TLBI by range, an undefined instruction: there is no FEAT_TLBIRANGE",
		          operand);
	op->first = sign_extend(base << shift, 36 + shift);
	op->last = op->first + (pages << TLB_PAGE_SHIFT) - 1;
	if (op->last < op->first)
		op->last = ~(uint64_t)0;
	if ((operand >> OPERAND_GRANULE & 3) != GRANULE_4K)
		return 0;
	if (level == LEVEL_BLOCK && (op->first & BLOCK_MASK))
		return 0; /* the base must be a multiple of what the hint says */
	apply_hint(op, level);
	return 1;
}

/* [R]VA[A][L]E1IS. Global leaves match every id. */
void sim_insn_tlbi_va(int any_id, int local, int leaf_only, int range, uint64_t operand)
{
	struct sim_cpu *c = begin(operand);
	struct tlb_op op = {.any_id = any_id, .id = id_of(operand), .globals = 1, .by_address = 1};

	TRACE("tlbi %sva%s%se1%s, %#llx", range ? "r" : "", any_id ? "a" : "", leaf_only ? "l" : "",
	      local ? "" : "is", (unsigned long long)operand);
	op.uppers = leaf_only ? TLB_UPPERS_NONE : TLB_UPPERS_COVERING;
	c->tlbi_since_dsb |= !local;
	if (any_id && id_of(operand))
		undefined("TLBI of all ids with reserved bits", operand);
	if (range ? decode_range(operand, &op) : decode_va(operand, &op))
		tlb_issue(c->number, local, &op);
}

/* ---- registers --------------------------------------------------------------------------------*/

uint64_t sim_insn_read_ttbr0(void)
{
	return self()->ttbr0;
}

uint64_t sim_insn_read_ttbr1(void)
{
	return self()->ttbr1;
}

uint64_t sim_insn_read_tcr(void)
{
	return self()->tcr;
}

/* ASIDBits in [7:4]. */
uint64_t sim_insn_read_mmfr0(void)
{
	return has.id_bits == 16 ? 2u << 4 : 0;
}

/* TTL in [51:48]. */
uint64_t sim_insn_read_mmfr2(void)
{
	return has.ttl ? (uint64_t)1 << 48 : 0;
}

/* TLB in [59:56]: 1, the outer shareable forms; 2, ranges as well. */
uint64_t sim_insn_read_isar0(void)
{
	return (uint64_t)(has.range ? 2 : 1) << 56;
}

void sim_insn_write_tpidr(uint64_t value)
{
	begin(0)->percpu_base = value; /* where the copies lie is no matter */
	TRACE("msr tpidr_el1");
}

uint64_t sim_insn_read_tpidr(void)
{
	return self()->percpu_base;
}

/* What a kernel puts into the running thread's descriptor at each switch: the CPU's number. */
uint32_t sim_insn_thread_u32(uint32_t offset)
{
	(void)offset;
	return self()->number;
}

int sim_insn_irqs_off(void)
{
	return self()->irqs_off;
}
