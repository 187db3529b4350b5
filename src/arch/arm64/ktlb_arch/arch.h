/* SPDX-License-Identifier: MIT */
/*
 * arm64: what the portable half asks of the architecture.
 *
 *   the pair      ids are global (ktlb_asid_global.c), invalidation is by broadcast
 *                 (ktlb_shootdown_broadcast.c)
 *   facts         what the ID registers and TCR_EL1 say
 *   operands      of TLBI and of the TTBRs, as pure functions: no assembly here, so that this file
 *                 compiles on any host and is tested there
 *   sequences     of instructions, each with its barriers
 *
 * All arithmetic is in 64 bits; addresses are 64-bit numbers as the CPU sees them, the kernel's
 * half with ones on top. "Page" is one granule.
 *
 * Manual: Arm ARM DDI 0487. Its sections are named by their titles, since their numbers change from
 * issue to issue. Operands: the pages of "TLBI VAE1IS", "TLBI RVAE1IS", "TTBR0_EL1", "TCR_EL1".
 */
#ifndef KTLB_ARCH_H
#define KTLB_ARCH_H

#include <stdint.h>

#include <ktlb/ktlb.h>
#include <ktlb_arch/insn.h>

#define KTLB_ARCH_PAGE_SHIFT         KTLB_CFG_ARM64_GRANULE_SHIFT
#define KTLB_ARCH_FULL_FLUSH_STRIDES KTLB_FULL_FLUSH_STRIDES
#define KTLB_ARCH_ID_BITS            16 /* at most; the ids' words are laid out for it */

/* ---- facts ------------------------------------------------------------------------------------*/

struct ktlb_arch_facts {
	uint32_t id_bits;
	uint32_t features; /* KTLB_FEATURE_* */
	const char *wrong; /* null, or why ktlb cannot work with these registers */
};

/* Of these features those that are of use: each is by itself. */
static inline uint32_t ktlb_arch_useful(uint32_t features)
{
	return features;
}

/* ID_AA64MMFR0_EL1.ASIDBits, ID_AA64MMFR2_EL1.TTL and CnP, ID_AA64ISAR0_EL1.TLB, TCR_EL1. */
static inline struct ktlb_arch_facts ktlb_arm64_facts(uint64_t mmfr0, uint64_t mmfr2,
                                                      uint64_t isar0, uint64_t tcr)
{
	/* TG0 and TG1 encode the granules differently: 4, 64, 16 and invalid, 16, 4, 64 KiB. */
	static const uint8_t tg0_shift[4] = {12, 16, 14, 0};
	static const uint8_t tg1_shift[4] = {0, 14, 12, 16};
	struct ktlb_arch_facts facts = {0, 0, 0};

	/* TCR_EL1.AS = 0 makes a CPU with 16 bits use 8. */
	facts.id_bits = ((mmfr0 >> 4 & 15) == 2 && (tcr >> 36 & 1) ? 16 : 8) - KTLB_CFG_SPLIT_IDS;
	if ((isar0 >> 56 & 15) >= 2)
		facts.features |= KTLB_FEATURE_TLBI_RANGE;
	if ((mmfr2 >> 48 & 15) >= 1)
		facts.features |= KTLB_FEATURE_TTL;
	if (KTLB_CFG_ARM64_CNP && (mmfr2 & 15) >= 1)
		facts.features |= KTLB_FEATURE_CNP;

	if ((tcr >> 22 & 1) != KTLB_CFG_ARM64_ASID_IN_TTBR1)
		facts.wrong = "ktlb_cpu_online: TCR_EL1.A1 differs from "
			      "KTLB_CFG_ARM64_ASID_IN_TTBR1";
	else if (tg0_shift[tcr >> 14 & 3] != KTLB_ARCH_PAGE_SHIFT ||
	         tg1_shift[tcr >> 30 & 3] != KTLB_ARCH_PAGE_SHIFT)
		facts.wrong = "ktlb_cpu_online: TCR_EL1.TG0 or TG1 differs from "
			      "KTLB_CFG_ARM64_GRANULE_SHIFT";
	else if ((tcr >> 59 & 1) != KTLB_CFG_ARM64_LPA2)
		facts.wrong = "ktlb_cpu_online: TCR_EL1.DS differs from KTLB_CFG_ARM64_LPA2";
	return facts;
}

static inline struct ktlb_arch_facts ktlb_arch_facts(void)
{
	return ktlb_arm64_facts(ktlb_insn_read_mmfr0(), ktlb_insn_read_mmfr2(),
	                        ktlb_insn_read_isar0(), ktlb_insn_read_tcr());
}

/* Is this address in the user's half (TTBR0)? In the kernel's (TTBR1)? VA bit 55 selects. */
static inline int ktlb_arch_is_user(uint64_t va)
{
	return va >> 55 == 0;
}

static inline int ktlb_arch_is_kernel(uint64_t va)
{
	return va >> 55 == 0x1ff;
}

/* ---- operands ---------------------------------------------------------------------------------*/

/*
 * Bits of a root that must be clear: those of the id; and CnP, which says that CPUs share TLB
 * entries: a CPU that empties its own after a rollover is then not enough. KTLB_CFG_ARM64_CNP sets it.
 */
#define KTLB_ARM64_TTBR_ID        ((uint64_t)0xffff << 48)
#define KTLB_ARM64_TTBR_CNP       ((uint64_t)1)
#define KTLB_ARCH_ROOT_MUST_CLEAR (KTLB_ARM64_TTBR_ID | KTLB_ARM64_TTBR_CNP)

/* What a space's root takes beside what the caller gives. */
static inline uint64_t ktlb_arch_root_attributes(uint32_t features)
{
	return features & KTLB_FEATURE_CNP ? KTLB_ARM64_TTBR_CNP : 0;
}

/* May a CPU meet entries that another one has cached? The answer is known where the option is 0. */
static inline int ktlb_arch_shares_entries(uint32_t features)
{
	return KTLB_CFG_ARM64_CNP && (features & KTLB_FEATURE_CNP);
}

static inline uint64_t ktlb_arm64_ttbr(uint64_t root, uint64_t id)
{
	return (root & ~KTLB_ARM64_TTBR_ID) | id << 48;
}

/*
 * The ASID of a number: where ids are split there are two, and this is the kernel's. The other one
 * differs in the lowest bit, wherever an ASID stands: 0 if there is no other one.
 */
#define KTLB_ARCH_USER_TWIN ((uint64_t)KTLB_CFG_SPLIT_IDS << 48)

static inline uint64_t ktlb_arch_asid(uint64_t number)
{
	return number << KTLB_CFG_SPLIT_IDS;
}

/* TG and TTL of range operands call the granules 1, 2, 3. */
static inline uint64_t ktlb_arm64_granule_code(uint32_t page_shift)
{
	return (page_shift - 10) / 2;
}

/*
 * What one entry maps of a leaf of 2^leaf_shift bytes, as a shift: the largest size that some level
 * of table has and that is not larger. Smaller than the leaf where that is a contiguous run.
 */
static inline uint32_t ktlb_arm64_entry_shift(uint32_t leaf_shift, uint32_t page_shift)
{
	uint32_t level_bits = page_shift - 3;
	uint32_t levels_up = (leaf_shift - page_shift) / level_bits;

	return page_shift + (levels_up < 3 ? levels_up : 3) * level_bits;
}

/*
 * The hint for entries that map 2^entry_shift bytes: their level, 1 to 3; or 0, none. None for level
 * 0, and none for level 1 of 16 KiB granules, whose code is reserved without FEAT_LPA2.
 */
static inline uint32_t ktlb_arm64_level(uint32_t entry_shift, uint32_t page_shift)
{
	uint32_t levels_up = (entry_shift - page_shift) / (page_shift - 3);

	return levels_up == 3 || (levels_up == 2 && page_shift == 14) ? 0 : 3 - levels_up;
}

/*
 * By address: VA[55:12] in [43:0] for every granule, zeroes below the granule; the hint in [47:44],
 * the id in [63:48]. A kernel address has ones above bit 55, which must not reach hint and id.
 */
static inline uint64_t ktlb_arm64_va_operand(uint64_t va, uint64_t id, uint32_t level,
                                             uint32_t page_shift)
{
	uint64_t hint = level ? ktlb_arm64_granule_code(page_shift) << 2 | level : 0;

	return id << 48 | hint << 44 |
	       (va >> page_shift << (page_shift - 12) & (((uint64_t)1 << 44) - 1));
}

static inline uint64_t ktlb_arm64_id_operand(uint64_t id)
{
	return id << 48;
}

/*
 * By range: (num + 1) * 2^(5 * scale + 1) pages from an address that is counted in granules, or in
 * 64 KiB with LPA2.
 */
static inline uint64_t ktlb_arm64_range_operand(uint64_t va, uint64_t id, uint32_t scale,
                                                uint32_t num, uint32_t level, uint32_t page_shift,
                                                int lpa2)
{
	uint64_t base = va >> (lpa2 ? 16 : page_shift) & (((uint64_t)1 << 37) - 1);

	return id << 48 | ktlb_arm64_granule_code(page_shift) << 46 | (uint64_t)scale << 44 |
	       (uint64_t)num << 39 | (uint64_t)level << 37 | base;
}

#define KTLB_ARM64_SCALE_MAX 3u
#define KTLB_ARM64_NUM_MAX   31u

/* The most pages that one range instruction covers: 2^21. */
#define KTLB_ARCH_RANGE_PAGES_MAX \
	((uint64_t)(KTLB_ARM64_NUM_MAX + 1) << (5 * KTLB_ARM64_SCALE_MAX + 1))

/* The largest scale of which one step is not more than so many pages, 2 or more. */
static inline uint32_t ktlb_arm64_scale(uint64_t pages)
{
	uint32_t log2 = 63 - (uint32_t)__builtin_clzll(pages);

	return log2 > 15 ? 3 : log2 > 10 ? 2 : log2 > 5 ? 1 : 0;
}

/* One instruction of a range: its operand, which kind it is, and how far it gets. */
struct ktlb_arch_op {
	uint64_t operand;
	uint64_t pages;
	int range;
};

/*
 * The next instruction for `pages` pages (1 or more) at `va`: the largest exact step, so that the
 * scales descend and each is used once (but the top one, beyond 2^21 pages). An odd page at the
 * end takes the form by address. With LPA2 so do the pages up to the first 64 KiB boundary; from
 * there on every step keeps the alignment, since a step that does not is the last one.
 *
 * A hint needs va and pages to be multiples of the leaf: every step is then one, too.
 */
static inline struct ktlb_arch_op ktlb_arm64_range_next(uint64_t va, uint64_t pages, uint64_t id,
                                                        uint32_t level, uint32_t page_shift,
                                                        int lpa2)
{
	struct ktlb_arch_op op;

	if (pages == 1 || (lpa2 && (va & 0xffff))) {
		op.operand = ktlb_arm64_va_operand(va, id, level, page_shift);
		op.pages = 1;
		op.range = 0;
	} else {
		uint32_t scale = ktlb_arm64_scale(pages);
		uint64_t steps = pages >> (5 * scale + 1);

		if (steps > KTLB_ARM64_NUM_MAX + 1)
			steps = KTLB_ARM64_NUM_MAX + 1;
		op.operand = ktlb_arm64_range_operand(va, id, scale, (uint32_t)steps - 1, level,
		                                      page_shift, lpa2);
		op.pages = steps << (5 * scale + 1);
		op.range = 1;
	}
	return op;
}

static inline struct ktlb_arch_op ktlb_arch_range_next(uint64_t va, uint64_t pages, uint64_t id,
                                                       uint32_t level)
{
	return ktlb_arm64_range_next(va, pages, ktlb_arch_asid(id), level, KTLB_ARCH_PAGE_SHIFT,
	                             KTLB_CFG_ARM64_LPA2);
}

/*
 * How many instructions ktlb_arch_range_next will take, LPA2's lead-in left out: one a digit that is
 * not zero, and as many as it takes of the largest.
 */
static inline uint64_t ktlb_arch_range_ops(uint64_t pages)
{
	return (pages & 1) + ((pages >> 1 & 31) != 0) + ((pages >> 6 & 31) != 0) +
	       ((pages >> 11 & 31) != 0) + ((pages >> 16) + 31) / 32;
}

/* The same with LPA2's lead-in. */
static inline uint64_t ktlb_arm64_ops(uint64_t va, uint64_t pages, uint32_t page_shift, int lpa2)
{
	uint64_t lead_in = lpa2 ? (0x10000 - (va & 0xffff)) >> page_shift & (0xffff >> page_shift)
	                        : 0;

	return pages <= lead_in ? pages : lead_in + ktlb_arch_range_ops(pages - lead_in);
}

struct ktlb_arch_cover {
	uint64_t va, pages;
};

/*
 * Such a range that `policy` (KTLB_COVER_*) is kept when ktlb_arm64_range_next takes it apart: it begins at
 * 64 KiB with LPA2, and the number of pages is rounded up to one digit of its scale, or to two. What
 * is less than a step of scale s is rounded to steps of scale s - 1, which are a 32nd of it. A multiple
 * of a leaf stays one, since a step is one of the other.
 *
 * The end of the half is the operand's: the address in it has 37 bits, the highest of which tells one
 * half from the other. A range that would be rounded beyond stays as it is.
 */
static inline struct ktlb_arch_cover ktlb_arm64_cover(uint32_t policy, uint64_t va, uint64_t pages,
                                                      uint32_t page_shift, int lpa2)
{
	struct ktlb_arch_cover cover = {va, pages};
	uint64_t half = (uint64_t)1 << (36 + (lpa2 ? 16 - page_shift : 0));
	uint64_t most = policy == KTLB_COVER_TWO ? 2 : 1;
	uint64_t below = lpa2 ? (va & 0xffff) >> page_shift : 0;
	uint64_t step, rounded;

	if (policy == KTLB_COVER_EXACT || ktlb_arm64_ops(va, pages, page_shift, lpa2) <= most)
		return cover;
	cover.va -= below << page_shift;
	cover.pages += below;
	if (ktlb_arch_range_ops(cover.pages) <= most)
		return cover;
	step = (uint64_t)1 << (5 * ktlb_arm64_scale(cover.pages) + 1);
	if (policy == KTLB_COVER_TWO)
		step >>= 5;
	rounded = (cover.pages + step - 1) & ~(step - 1);
	if (rounded <= half - (cover.va >> page_shift & (half - 1)))
		cover.pages = rounded;
	return cover;
}

static inline struct ktlb_arch_cover ktlb_arch_cover(uint64_t va, uint64_t pages)
{
	return ktlb_arm64_cover(KTLB_CFG_TLBI_COVER, va, pages, KTLB_ARCH_PAGE_SHIFT,
	                        KTLB_CFG_ARM64_LPA2);
}

static inline uint64_t ktlb_arch_va_operand(uint64_t va, uint64_t id, uint32_t level)
{
	return ktlb_arm64_va_operand(va, ktlb_arch_asid(id), level, KTLB_ARCH_PAGE_SHIFT);
}

static inline uint64_t ktlb_arch_id_operand(uint64_t id)
{
	return ktlb_arm64_id_operand(ktlb_arch_asid(id));
}

static inline uint32_t ktlb_arch_entry_shift(uint32_t leaf_shift)
{
	return ktlb_arm64_entry_shift(leaf_shift, KTLB_ARCH_PAGE_SHIFT);
}

static inline uint32_t ktlb_arch_level(uint32_t entry_shift)
{
	return ktlb_arm64_level(entry_shift, KTLB_ARCH_PAGE_SHIFT);
}

/* ---- changes of an entry ----------------------------------------------------------------------*/

/* Descriptors of stage 1 (Arm ARM DDI 0487, "VMSAv8-64 translation table format descriptors"). */
#define KTLB_ARM64_DESC_VALID     ((uint64_t)1 << 0)
#define KTLB_ARM64_DESC_TABLE     ((uint64_t)1 << 1) /* a page, in the last level */
#define KTLB_ARM64_DESC_USER      ((uint64_t)1 << 6) /* AP[1] */
#define KTLB_ARM64_DESC_READ_ONLY ((uint64_t)1 << 7) /* AP[2] */
#define KTLB_ARM64_DESC_AF        ((uint64_t)1 << 10)
#define KTLB_ARM64_DESC_NG        ((uint64_t)1 << 11)
#define KTLB_ARM64_DESC_NT        ((uint64_t)1 << 16) /* of a block */
#define KTLB_ARM64_DESC_GP        ((uint64_t)1 << 50)
#define KTLB_ARM64_DESC_DBM       ((uint64_t)1 << 51)
#define KTLB_ARM64_DESC_CONT      ((uint64_t)1 << 52)
#define KTLB_ARM64_DESC_NO_EXEC   ((uint64_t)3 << 53) /* PXN, UXN */
#define KTLB_ARM64_DESC_SOFTWARE  ((uint64_t)15 << 55)

/* Of a table: limits for all below, and what the hardware ignores; with LPA2 two bits less. */
#define KTLB_ARM64_TABLE_LIMITS ((uint64_t)15 << 59) /* PXNTable, UXNTable, APTable */
#define KTLB_ARM64_TABLE_IGNORED \
	((uint64_t)0xff << 51 | (uint64_t)(KTLB_CFG_ARM64_LPA2 ? 0x33f : 0x3ff) << 2)

enum ktlb_arm64_entry {
	KTLB_ARM64_INVALID,
	KTLB_ARM64_LEAF,
	KTLB_ARM64_TABLE,
};

/* 01 is reserved in the last level: treated as invalid. */
static inline enum ktlb_arm64_entry ktlb_arm64_entry_kind(uint64_t entry, uint32_t level)
{
	if (!(entry & KTLB_ARM64_DESC_VALID) || (level == 0 && !(entry & KTLB_ARM64_DESC_TABLE)))
		return KTLB_ARM64_INVALID;
	return level != 0 && (entry & KTLB_ARM64_DESC_TABLE) ? KTLB_ARM64_TABLE : KTLB_ARM64_LEAF;
}

/*
 * A leaf for a leaf. Whatever is not named here is an address, a memory type, cacheability or
 * shareability, for which break-before-make is asked, as it is for a global entry in place of one that is not
 * ("Using break-before-make when updating translation table entries"); for the contiguous bit see
 * "Support levels for changing table or block size".
 */
static inline uint32_t ktlb_arm64_need_leaf(uint64_t old_entry, uint64_t new_entry, uint32_t level,
                                            uint32_t given)
{
	uint64_t changed = old_entry ^ new_entry, gone = changed & old_entry,
		 come = changed & new_entry;
	uint64_t nt = level != 0 && (given & (KTLB_GIVEN_BBM_1 | KTLB_GIVEN_BBM_2))
	                      ? KTLB_ARM64_DESC_NT
	                      : 0;
	uint64_t contiguous = given & KTLB_GIVEN_BBM_2 ? KTLB_ARM64_DESC_CONT : 0;

	if ((gone & KTLB_ARM64_DESC_NG) ||
	    (changed & ~(KTLB_ARM64_DESC_USER | KTLB_ARM64_DESC_READ_ONLY | KTLB_ARM64_DESC_AF |
	                 KTLB_ARM64_DESC_NG | nt | KTLB_ARM64_DESC_GP | KTLB_ARM64_DESC_DBM |
	                 contiguous | KTLB_ARM64_DESC_NO_EXEC | KTLB_ARM64_DESC_SOFTWARE)))
		return KTLB_NEED_BREAK;
	/* DBM matters where the hardware may turn read-only into writable. */
	if ((gone & KTLB_ARM64_DESC_DBM) && (new_entry & KTLB_ARM64_DESC_READ_ONLY))
		return KTLB_NEED_FLUSH;
	if ((changed &
	     (KTLB_ARM64_DESC_USER | KTLB_ARM64_DESC_NG | KTLB_ARM64_DESC_GP | nt | contiguous)) ||
	    (come & (KTLB_ARM64_DESC_READ_ONLY | KTLB_ARM64_DESC_NO_EXEC)))
		return KTLB_NEED_FLUSH;
	if ((gone & KTLB_ARM64_DESC_AF) && (given & KTLB_GIVEN_ACCESSED_FLUSHED))
		return KTLB_NEED_FLUSH;
	if ((gone & (KTLB_ARM64_DESC_READ_ONLY | KTLB_ARM64_DESC_NO_EXEC)) ||
	    (come & KTLB_ARM64_DESC_DBM))
		return KTLB_NEED_LOCAL_ON_FAULT;
	return KTLB_NEED_NONE;
}

/* A table for a table: only with the same translation are two tables not two addresses. */
static inline uint32_t ktlb_arm64_need_table(uint64_t old_entry, uint64_t new_entry, uint32_t given)
{
	uint64_t changed = (old_entry ^ new_entry) & ~KTLB_ARM64_TABLE_IGNORED;

	if (changed & ~KTLB_ARM64_TABLE_LIMITS)
		return given & KTLB_GIVEN_SAME_TRANSLATION ? KTLB_NEED_FLUSH : KTLB_NEED_BREAK;
	if (changed & new_entry)
		return KTLB_NEED_FLUSH;
	return changed ? KTLB_NEED_LOCAL_ON_FAULT : KTLB_NEED_NONE;
}

/* A block for a table or the reverse ("Support levels for changing table or block size"). */
static inline uint32_t ktlb_arm64_need_size(uint64_t block, uint32_t given)
{
	int supported = (given & KTLB_GIVEN_BBM_2) ||
	                ((given & KTLB_GIVEN_BBM_1) && (block & KTLB_ARM64_DESC_NT));

	return supported && (given & KTLB_GIVEN_SAME_TRANSLATION) ? KTLB_NEED_FLUSH
	                                                          : KTLB_NEED_BREAK;
}

/* An invalid entry, and a leaf whose access flag is 0, are in no TLB ("The Access flag"). */
static inline uint32_t ktlb_arm64_need(uint64_t old_entry, uint64_t new_entry, uint32_t level,
                                       uint32_t given)
{
	enum ktlb_arm64_entry from = ktlb_arm64_entry_kind(old_entry, level);
	enum ktlb_arm64_entry to = ktlb_arm64_entry_kind(new_entry, level);
	uint32_t need;

	if (from == KTLB_ARM64_LEAF && !(old_entry & KTLB_ARM64_DESC_AF) &&
	    (given & KTLB_GIVEN_ACCESSED_FLUSHED))
		from = KTLB_ARM64_INVALID;
	if (from == KTLB_ARM64_INVALID)
		need = KTLB_NEED_NONE;
	else if (to == KTLB_ARM64_INVALID)
		need = KTLB_NEED_FLUSH;
	else if (from != to)
		need = ktlb_arm64_need_size(from == KTLB_ARM64_LEAF ? old_entry : new_entry, given);
	else if (from == KTLB_ARM64_LEAF)
		need = ktlb_arm64_need_leaf(old_entry, new_entry, level, given);
	else
		need = ktlb_arm64_need_table(old_entry, new_entry, given);

	/* Walkers see a store when a DSB has ended; a flush has one of its own. */
	if (need <= KTLB_NEED_LOCAL_ON_FAULT)
		return to != KTLB_ARM64_INVALID && old_entry != new_entry ? need | KTLB_NEED_PUBLISH
		                                                          : need;
	return from == KTLB_ARM64_TABLE ? need | KTLB_NEED_TABLES : need;
}

static inline uint32_t ktlb_arch_need(uint64_t old_entry, uint64_t new_entry, uint32_t level,
                                      uint32_t given)
{
	return ktlb_arm64_need(old_entry, new_entry, level, given);
}

/* ---- sequences --------------------------------------------------------------------------------*/

/*
 * [B1] The first thing of a switch. The outgoing thread may be between a TLBI and its DSB, and may
 * go on elsewhere: its DSB there would complete nothing, since a TLBI is completed only by a DSB
 * of the PE that issued it ("Ordering and completion of TLB maintenance instructions").
 * Partner: [B4] of the interrupted flush. Without it: a flush returns with stale entries alive.
 */
static inline void ktlb_arch_switch_barrier(void)
{
	ktlb_insn_dsb_ish();
}

/*
 * [B2] Between the change of an entry and whatever is decided from it (the read of the id, the
 * TLBI). DSB ISHST makes the store visible to every walker and holds back later loads ("Data
 * Synchronization Barrier").
 * Partner: [B3]. Without it: a walker refills the old entry behind the TLBI, or the id that is
 * invalidated is one that a rollover has replaced meanwhile.
 */
static inline void ktlb_arch_changes_barrier(void)
{
	ktlb_insn_dsb_ishst();
}

/*
 * [B3] In the allocator, between the store of a space's new id and the load of its root.
 * Partner: [B2]. Store buffering otherwise: the flusher still reads the old id, while this CPU's
 * walker, under the new one, still sees the old entry; the TLBI then misses it. An ISB does not
 * help: it does not order the store before the walks.
 */
static inline void ktlb_arch_id_barrier(void)
{
	ktlb_insn_dsb_ish();
}

/*
 * [B4] The one place where TLBIs are waited for. DSB ISH: they are complete on every CPU, and all
 * that used the old translation is ("Ordering and completion of TLB maintenance instructions"). With the erratum of ktlb_config.errata one more TLBI
 * and DSB, of any operand, make that true.
 * Partner: the TLBIs before it. Without it: the caller frees a page that is still in use.
 */
static inline void ktlb_arch_complete(int repeat)
{
	ktlb_insn_dsb_ish();
	if (__builtin_expect(repeat, 0)) {
		ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 1, 0, 0);
		ktlb_insn_dsb_ish();
	}
}

/*
 * Does a space remember the one CPU that it has run on, and is flushed there alone?
 */
#define KTLB_ARCH_LOCAL KTLB_CFG_ARM64_LOCAL

/*
 * [B50] In a switch to a space that has not run on this CPU before, between the store that says so and
 * the load of its root. Partner: [B2] of a flusher, which reads where the space has run afterwards. Store
 * buffering otherwise: the flusher still reads that the space runs on its CPU alone, while this CPU's
 * walker still sees the old entry.
 */
static inline void ktlb_arch_owner_barrier(void)
{
	ktlb_insn_dsb_ish();
}

/*
 * [B51] Waits for TLBIs of this CPU alone. DSB NSH waits for them, and orders what this CPU has done under
 * the old translation for nobody but itself; [B52] the full fence, for those who get the page.
 * Partner of [B51]: the TLBIs before it; of [B52]: whoever acquires what the caller then releases.
 */
static inline void ktlb_arch_complete_local(int repeat)
{
	ktlb_insn_dsb_nsh(); /* [B51] */
	if (__builtin_expect(repeat, 0)) {
		ktlb_insn_local_va(1, 0, 0);
		ktlb_insn_dsb_nsh();
	}
	ktlb_fence_full(); /* [B52] */
}

/*
 * [B5] After a change of the kernel's half: this CPU's instructions after it are fetched anew. A
 * user's half needs none: the return to user mode is a context synchronisation event.
 * Partner: [B4]. Without it: this CPU uses, once more, what it had begun to use before.
 */
static inline void ktlb_arch_sync_barrier(void)
{
	ktlb_insn_isb();
}

/*
 * [B7] This CPU's TLB, empty of everything: owed since a rollover, or before it comes online. DSB
 * NSH is enough, for the TLBI is local.
 * Partner: the rollover that gave the ids away. Without the DSB: the new owner of an id is run
 * while entries of the former one are alive.
 */
static inline void ktlb_arch_flush_own(void)
{
	ktlb_insn_tlbi_vmalle1();
	ktlb_insn_dsb_nsh();
}

/* The same for the TLBs of all CPUs, where they share entries. The wait is [B4]'s. */
static inline void ktlb_arch_flush_all_cpus(int repeat)
{
	ktlb_insn_broadcast_all();
	ktlb_arch_complete(repeat); /* [B7] */
}

/*
 * One address, on this CPU. [B44] The first DSB NSH: what this CPU has read of the entry, its walker reads,
 * too. [B43] The second: the invalidation is complete; ISB: nothing that was translated before it is used
 * after it. Partner of both: the access that faulted, tried again. Without them it may fault again: [B44] by
 * an entry that was walked behind the TLBI.
 */
static inline void ktlb_arch_flush_here(uint64_t operand)
{
	ktlb_insn_dsb_nsh(); /* [B44] */
	ktlb_insn_local_va(0, 0, operand);
	if (KTLB_ARCH_USER_TWIN)
		ktlb_insn_local_va(0, 0, operand | KTLB_ARCH_USER_TWIN);
	ktlb_insn_dsb_nsh(); /* [B43] */
	ktlb_insn_isb();
}

/*
 * Loads a root with its id. [B6] The ISB ends the time in which the former may still be in use
 * ("Synchronization requirements for AArch64 System registers"); its partner is the write before it.
 * Without it a walk after the switch still begins at the old root.
 *
 * With the id in TTBR0_EL1 one write changes both, so no walk can mix them. With the id in
 * TTBR1_EL1 there are two registers, each of which takes effect anywhere before the next ISB; the
 * empty table in between, and [B8] [B9] on both sides of the id, leave no time at which a root is
 * walked under the other's id.
 */
static inline void ktlb_arch_load_root(uint64_t root, uint64_t id, uint64_t kernel_root)
{
	if (KTLB_CFG_ARM64_ASID_IN_TTBR1) {
		ktlb_insn_write_ttbr0(kernel_root);
		ktlb_insn_isb(); /* [B8]: without it the old root is walked under the new id */
		ktlb_insn_write_ttbr1(ktlb_arm64_ttbr(ktlb_insn_read_ttbr1(), ktlb_arch_asid(id)));
		ktlb_insn_isb(); /* [B9]: without it the new root is walked under the old id */
		ktlb_insn_write_ttbr0(root);
	} else {
		ktlb_insn_write_ttbr0(ktlb_arm64_ttbr(root, id));
	}
	ktlb_insn_isb(); /* [B6] */
}

/*
 * Loads the empty table, from which nothing can be cached. Its id does not matter then; id 0 is
 * given where the register holds one, and with TTBR1_EL1 the last one stays.
 */
static inline void ktlb_arch_load_kernel_root(uint64_t kernel_root)
{
	ktlb_insn_write_ttbr0(kernel_root);
	ktlb_insn_isb(); /* [B6] */
}

/*
 * A CPU's own beginning: the empty table, and nothing in the TLB of what firmware or the start-up
 * tables have left there, global entries included [B7].
 */
static inline void ktlb_arch_cpu_online(uint64_t kernel_root, uint32_t features)
{
	(void)features;
	ktlb_arch_load_kernel_root(kernel_root);
	ktlb_arch_flush_own();
	ktlb_arch_sync_barrier(); /* [B5] */
}

/* For ktlb_calibrate: single invalidations, and those of everything of one id: of id 0, nobody's. */
static inline void ktlb_arch_sample_pages(uint64_t va, uint64_t pages)
{
	for (; pages; pages--, va += (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)
		ktlb_insn_broadcast_va(KTLB_SCOPE_KERNEL, 1, 0, ktlb_arch_va_operand(va, 0, 0));
	ktlb_insn_dsb_ish(); /* a part of the price */
}

static inline void ktlb_arch_sample_full(void)
{
	ktlb_insn_broadcast_id(ktlb_arch_id_operand(0));
	ktlb_insn_dsb_ish();
}

static inline void ktlb_arch_flush_for_refill(uint32_t features)
{
	(void)features;
	ktlb_arch_flush_own();
}

/* Is this root in the register, whatever the id beside it? */
static inline int ktlb_arch_root_is_loaded(uint64_t root)
{
	return (ktlb_insn_read_ttbr0() & ~KTLB_ARM64_TTBR_ID) == root;
}

static inline void ktlb_arch_set_percpu(struct ktlb_cpu *state, uint64_t offset)
{
	(void)state;
	ktlb_insn_write_percpu_offset(offset);
}

#endif /* KTLB_ARCH_H */
