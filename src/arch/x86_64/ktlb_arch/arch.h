/* SPDX-License-Identifier: MIT */
/*
 * x86-64: what the portable half asks of the architecture.
 *
 *   the pair      ids are per CPU (ktlb_switch_percpu.c), other CPUs are told by interrupt
 *                 (ktlb_shootdown_ipi.c)
 *   facts         what CPUID and CR4 say
 *   operands      of MOV to CR3 and INVPCID, as pure functions: no assembly here
 *   sequences     of instructions
 *
 * An invalidation is complete when its instruction is, and concerns this CPU alone. INVLPG drops one
 * page under the current PCID, global entries of that address, and all paging-structure caches of
 * the current PCID only. A MOV to CR3 with bit 63 clear drops everything under the PCID that it
 * loads, but for global entries.
 *
 * Manual: Intel SDM volume 3, "Process-Context Identifiers (PCIDs)" and "Invalidation of TLBs and
 * Paging-Structure Caches".
 */
#ifndef KTLB_ARCH_H
#define KTLB_ARCH_H

#include <stdint.h>

#include <ktlb/ktlb.h>
#include <ktlb_arch/insn.h>

#define KTLB_ARCH_PAGE_SHIFT 12u

/* ---- facts ------------------------------------------------------------------------------------*/

#define KTLB_X86_CPUID1_ECX_PCID    (1u << 17)
#define KTLB_X86_CPUID7_EBX_INVPCID (1u << 10)
#define KTLB_X86_CR4_PGE            ((uint64_t)1 << 7)
#define KTLB_X86_CR4_PCIDE          ((uint64_t)1 << 17)

/*
 * 33 pages one by one, as Linux has had it since 2012; a full flush costs about as much as 34
 * INVLPG and the refills after it.
 */
#define KTLB_ARCH_FULL_FLUSH_STRIDES 34u

struct ktlb_arch_facts {
	uint32_t id_bits;
	uint32_t features;
	const char *wrong;
};

/* Of these features those that are of use: INVPCID without PCIDs is not. */
static inline uint32_t ktlb_arch_useful(uint32_t features)
{
	return features & KTLB_FEATURE_PCID ? features : features & ~(uint32_t)KTLB_FEATURE_INVPCID;
}

static inline struct ktlb_arch_facts ktlb_x86_facts(uint32_t cpuid1_ecx, uint32_t cpuid7_ebx,
                                                    uint64_t cr4)
{
	struct ktlb_arch_facts facts = {12, 0, 0};

	if (cpuid1_ecx & KTLB_X86_CPUID1_ECX_PCID)
		facts.features |= KTLB_FEATURE_PCID;
	if (cpuid7_ebx & KTLB_X86_CPUID7_EBX_INVPCID)
		facts.features |= KTLB_FEATURE_INVPCID;
	if (cr4 & KTLB_X86_CR4_PGE)
		facts.features |= KTLB_FEATURE_GLOBAL_PAGES;
	facts.features = ktlb_arch_useful(facts.features);
	return facts;
}

static inline struct ktlb_arch_facts ktlb_arch_facts(void)
{
	struct ktlb_cpuid most = ktlb_insn_cpuid(0, 0), leaf1 = ktlb_insn_cpuid(1, 0);

	return ktlb_x86_facts(leaf1.ecx, most.eax >= 7 ? ktlb_insn_cpuid(7, 0).ebx : 0,
	                      ktlb_insn_read_cr4());
}

/* Canonical addresses of up to 57 bits. */
static inline int ktlb_arch_is_user(uint64_t va)
{
	return va >> 56 == 0;
}

static inline int ktlb_arch_is_kernel(uint64_t va)
{
	return va >> 56 == 0xff;
}

/* ---- operands ---------------------------------------------------------------------------------*/

/* The PCID's field, and "keep". The bits of LAM (61, 62) pass through. */
#define KTLB_X86_CR3_KEEP         ((uint64_t)1 << 63)
#define KTLB_ARCH_ROOT_MUST_CLEAR (KTLB_X86_CR3_KEEP | 0xfff)

/* What a space's root takes beside what the caller gives. */
static inline uint64_t ktlb_arch_root_attributes(uint32_t features)
{
	(void)features;
	return 0;
}

/* PCID 0 is the kernel's own root's, and nobody else's. */
static inline uint64_t ktlb_x86_pcid(uint32_t slot)
{
	return slot + 1;
}

/* The slot's other PCID, for user mode, where ids are split: the upper half of them is the users'. */
#define KTLB_X86_USER_PCID ((uint64_t)1 << 11)

/* How many PCIDs are used, the kernel's 0 included: without them that is all there is. */
static inline uint32_t ktlb_arch_ids(uint32_t features)
{
	return features & KTLB_FEATURE_PCID ? (KTLB_SLOTS << KTLB_CFG_SPLIT_IDS) + 1 : 1;
}

/*
 * Bit 63 means "keep what is cached under this PCID"; it is reserved, and faults, unless
 * CR4.PCIDE is set.
 */
static inline uint64_t ktlb_x86_cr3(uint64_t root, uint64_t pcid, int keep)
{
	return root | pcid | (keep ? KTLB_X86_CR3_KEEP : 0);
}

/* Types of INVPCID, and its descriptor: the PCID in the low 12 bits, then the address. */
#define KTLB_X86_INVPCID_ADDRESS 0u /* of one PCID; not global entries */
#define KTLB_X86_INVPCID_ALL     2u /* every PCID, global entries too; the descriptor is 0 */

static inline struct ktlb_invpcid ktlb_x86_invpcid(uint64_t pcid, uint64_t va)
{
	struct ktlb_invpcid descriptor = {pcid & 0xfff, va};

	return descriptor;
}

/* What one entry maps of a leaf: 4 KiB, 2 MiB, 1 GiB. */
static inline uint32_t ktlb_arch_entry_shift(uint32_t leaf_shift)
{
	return leaf_shift >= 30 ? 30 : leaf_shift >= 21 ? 21 : 12;
}

/* ---- changes of an entry ----------------------------------------------------------------------*/

/* Intel SDM volume 3, "4-Level Paging and 5-Level Paging". */
#define KTLB_X86_PTE_PRESENT  ((uint64_t)1 << 0)
#define KTLB_X86_PTE_WRITE    ((uint64_t)1 << 1)
#define KTLB_X86_PTE_ACCESSED ((uint64_t)1 << 5)
#define KTLB_X86_PTE_DIRTY    ((uint64_t)1 << 6)
#define KTLB_X86_PTE_LARGE    ((uint64_t)1 << 7) /* above the last level */
#define KTLB_X86_PTE_NX       ((uint64_t)1 << 63)
#define KTLB_X86_PTE_SOFTWARE ((uint64_t)7 << 9 | (uint64_t)0x7f << 52)

/* Of an entry that leads to a table: ignored as well. */
#define KTLB_X86_TABLE_IGNORED (KTLB_X86_PTE_SOFTWARE | KTLB_X86_PTE_DIRTY | (uint64_t)1 << 8)

static inline int ktlb_x86_is_table(uint64_t entry, uint32_t level)
{
	return level != 0 && !(entry & KTLB_X86_PTE_LARGE);
}

/*
 * Both present, and of the same kind. To make an entry writable or executable needs no invalidation
 * ("Optional Invalidation"); neither do flags that the processor itself would set. A dirty flag that is
 * cleared does, for a processor that has it cached as set does not set it again ("Accessed and Dirty
 * Flags").
 */
static inline uint32_t ktlb_x86_need_same(uint64_t old_entry, uint64_t new_entry, int table,
                                          uint32_t given)
{
	uint64_t ignored = table ? KTLB_X86_TABLE_IGNORED : KTLB_X86_PTE_SOFTWARE;
	uint64_t changed = (old_entry ^ new_entry) & ~ignored;
	uint64_t gone = changed & old_entry, come = changed & new_entry;

	if (changed &
	    ~(KTLB_X86_PTE_WRITE | KTLB_X86_PTE_ACCESSED | KTLB_X86_PTE_DIRTY | KTLB_X86_PTE_NX))
		return KTLB_NEED_FLUSH;
	if ((gone & (KTLB_X86_PTE_WRITE | KTLB_X86_PTE_DIRTY)) || (come & KTLB_X86_PTE_NX))
		return KTLB_NEED_FLUSH;
	if ((gone & KTLB_X86_PTE_ACCESSED) && (given & KTLB_GIVEN_ACCESSED_FLUSHED))
		return KTLB_NEED_FLUSH;
	if ((come & KTLB_X86_PTE_WRITE) || (gone & KTLB_X86_PTE_NX))
		return KTLB_NEED_LOCAL_ON_FAULT;
	return KTLB_NEED_NONE;
}

/*
 * An entry that is not present, or whose accessed flag is clear, is not cached ("Details of TLB Use").
 * Break before make is for a size that changes together with something else: for a while the processor may
 * use either entry ("Caching Translation Information", which has the same sequence). Stores are
 * visible to walkers in their order: nothing to publish.
 */
static inline uint32_t ktlb_x86_need(uint64_t old_entry, uint64_t new_entry, uint32_t level,
                                     uint32_t given)
{
	int table = ktlb_x86_is_table(old_entry, level);
	uint32_t need;

	if (!(old_entry & KTLB_X86_PTE_PRESENT) ||
	    (!(old_entry & KTLB_X86_PTE_ACCESSED) && (given & KTLB_GIVEN_ACCESSED_FLUSHED)))
		return KTLB_NEED_NONE;
	if (!(new_entry & KTLB_X86_PTE_PRESENT))
		need = KTLB_NEED_FLUSH;
	else if (table == ktlb_x86_is_table(new_entry, level))
		need = ktlb_x86_need_same(old_entry, new_entry, table, given);
	else
		need = given & KTLB_GIVEN_SAME_TRANSLATION ? KTLB_NEED_FLUSH : KTLB_NEED_BREAK;
	return table && need > KTLB_NEED_LOCAL_ON_FAULT ? need | KTLB_NEED_TABLES : need;
}

static inline uint32_t ktlb_arch_need(uint64_t old_entry, uint64_t new_entry, uint32_t level,
                                      uint32_t given)
{
	return ktlb_x86_need(old_entry, new_entry, level, given);
}

/* ---- sequences --------------------------------------------------------------------------------*/

/* A read-modify-write is a full fence here (SDM volume 3, "Memory Ordering", locked instructions). */
static inline void ktlb_fence_after_rmw(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Stores are visible to walkers in their order; only the compiler must be held back. */
static inline void ktlb_arch_changes_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void ktlb_arch_sync_barrier(void)
{
}

/* The base first takes its own distance into the copy, for ktlb_insn_percpu_offset. */
static inline void ktlb_arch_set_percpu(struct ktlb_cpu *state, uint64_t offset)
{
	state->offset = offset;
	ktlb_insn_write_percpu_offset(offset);
}

/*
 * What stands beside a root in CR3 for a slot: its PCID, and "keep". Without PCIDs nothing: every load
 * then flushes, whatever the slot says, and slots are bookkeeping alone.
 */
static inline uint64_t ktlb_arch_slot_tag(uint32_t slot, uint32_t features)
{
	return features & KTLB_FEATURE_PCID ? ktlb_x86_cr3(0, ktlb_x86_pcid(slot), 1) : 0;
}

/* The tag of the same slot for user mode. Without PCIDs there is none. */
static inline uint64_t ktlb_arch_user_tag(uint64_t tag)
{
	return tag ? tag | KTLB_X86_USER_PCID : 0;
}

/* What CR3 takes for a root under a tag, with or without what is cached under it. */
static inline uint64_t ktlb_arch_tagged_root(uint64_t root, uint64_t tag, int keep)
{
	return root | (keep ? tag : tag & ~KTLB_X86_CR3_KEEP);
}

/* Is this root, with the tag of its slot, what CR3 holds? Which does not remember "keep". */
static inline int ktlb_arch_root_is(uint64_t root, uint64_t tag)
{
	return ktlb_insn_read_cr3() == (root | (tag & ~KTLB_X86_CR3_KEEP));
}

/* A space's root, under the id of a slot, with or without what is cached under it. */
static inline void ktlb_arch_load_root(uint64_t root, uint64_t tag, int keep)
{
	ktlb_insn_write_cr3(ktlb_arch_tagged_root(root, tag, keep));
}

static inline void ktlb_arch_load_kernel_root(uint64_t kernel_root, uint32_t features)
{
	ktlb_insn_write_cr3(ktlb_x86_cr3(kernel_root, 0, (features & KTLB_FEATURE_PCID) != 0));
}

/*
 * Is a kernel range done by flushing its pages? INVLPG drops global entries of an address, whatever
 * PCID is current, unless the CPU has the erratum; but what is not global, and what the
 * paging-structure caches hold, under the current PCID only. With split ids nothing is global.
 */
static inline int ktlb_arch_kernel_by_page(uint32_t features, uint32_t errata, int tables_too)
{
	return !(features & KTLB_FEATURE_PCID) ||
	       (!KTLB_CFG_SPLIT_IDS && (features & KTLB_FEATURE_GLOBAL_PAGES) && !tables_too &&
	        !(errata & KTLB_ERRATUM_INVLPG_GLOBAL));
}

/* Everything under the current PCID but global entries. */
static inline void ktlb_arch_flush_current(void)
{
	ktlb_insn_write_cr3(ktlb_insn_read_cr3());
}

/*
 * Everything, of every PCID, global entries too: INVPCID, or a change of CR4.PGE, either way and
 * back (SDM volume 3, "Operations that Invalidate TLBs and Paging-Structure Caches").
 */
static inline void ktlb_arch_flush_everything(uint32_t features)
{
	if (features & KTLB_FEATURE_INVPCID) {
		ktlb_insn_invpcid(KTLB_X86_INVPCID_ALL, ktlb_x86_invpcid(0, 0));
	} else {
		uint64_t cr4 = ktlb_insn_read_cr4();

		ktlb_insn_write_cr4(cr4 ^ KTLB_X86_CR4_PGE);
		ktlb_insn_write_cr4(cr4);
	}
}

static inline void ktlb_arch_flush_pages(uint64_t va, uint64_t pages, uint32_t step_shift)
{
	for (uint64_t n = pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT); n;
	     n--, va += (uint64_t)1 << step_shift)
		ktlb_insn_invlpg(va);
}

/* The same under the user's id of a slot, which is not current. It spares what the tables have led to. */
static inline void ktlb_arch_flush_user_pages(uint64_t tag, uint64_t va, uint64_t pages,
                                              uint32_t step_shift)
{
	for (uint64_t n = pages >> (step_shift - KTLB_ARCH_PAGE_SHIFT); n;
	     n--, va += (uint64_t)1 << step_shift)
		ktlb_insn_invpcid(KTLB_X86_INVPCID_ADDRESS,
		                  ktlb_x86_invpcid(ktlb_arch_user_tag(tag), va));
}

/* Can that be done? Else the id is emptied on the way out. */
static inline int ktlb_arch_user_by_page(uint32_t features)
{
	return (features & KTLB_FEATURE_INVPCID) != 0;
}

/* For ktlb_calibrate. What is read there is global, so that for the refill everything has to go. */
static inline void ktlb_arch_sample_pages(uint64_t va, uint64_t pages)
{
	ktlb_arch_flush_pages(va, pages, KTLB_ARCH_PAGE_SHIFT);
}

static inline void ktlb_arch_sample_full(void)
{
	ktlb_arch_flush_current();
}

static inline void ktlb_arch_flush_for_refill(uint32_t features)
{
	ktlb_arch_flush_everything(features);
}

/*
 * The kernel's root, under PCID 0; PCIDs switched on where they are wanted, which needs that CR3's
 * low bits are 0. The TLB is emptied when the CPU is known to others.
 */
static inline void ktlb_arch_cpu_online(uint64_t kernel_root, uint32_t features)
{
	ktlb_insn_write_cr3(ktlb_x86_cr3(kernel_root, 0, 0));
	if (features & KTLB_FEATURE_PCID)
		ktlb_insn_write_cr4(ktlb_insn_read_cr4() | KTLB_X86_CR4_PCIDE);
}

#endif /* KTLB_ARCH_H */
