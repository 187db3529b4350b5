/* SPDX-License-Identifier: MIT */
/*
 * What an A64 instruction counts as. Every instruction is of exactly one kind, decided by its 32
 * bits alone; the kinds add up to the instructions executed.
 *
 * A load or store of a pair of registers is one access. An exclusive pair LDXR, STXR is one
 * read-modify-write, counted at the STXR (the LDXR is its own kind, so that it is not a load too);
 * one that fails and is repeated is counted each time. A prefetch is no access.
 *
 * Encodings: Arm Architecture Reference Manual (DDI 0487), C4.1 "A64 instruction set encoding".
 */
#ifndef COUNT_DECODE_H
#define COUNT_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum count_kind {
	COUNT_OTHER,
	COUNT_LOAD,
	COUNT_STORE,
	COUNT_ATOMIC,     /* STXR, and the single-instruction atomics of FEAT_LSE */
	COUNT_EXCLUSIVE,  /* LDXR: the first half of an atomic */
	COUNT_TLBI_PAGE,  /* by address */
	COUNT_TLBI_RANGE, /* FEAT_TLBIRANGE */
	COUNT_TLBI_ID,    /* by ASID */
	COUNT_TLBI_ALL,   /* every other TLBI */
	COUNT_DSB,
	COUNT_DMB,
	COUNT_ISB,
	COUNT_TTBR, /* a write of TTBR0_EL1 or TTBR1_EL1 */
	COUNT_KINDS
};

/* bits [high:low] of an instruction */
static inline uint32_t count_bits(uint32_t insn, unsigned int high, unsigned int low)
{
	return (insn >> low) & ((1u << (high - low + 1)) - 1);
}

/* SYS with CRn = 8, or 9 (FEAT_XS: without waiting for XS accesses). */
static inline enum count_kind count_decode_tlbi(uint32_t insn)
{
	uint32_t crm = count_bits(insn, 11, 8);
	uint32_t op2 = count_bits(insn, 7, 5);
	bool el1 = count_bits(insn, 18, 16) == 0;
	bool range = crm == 2 || crm == 5 || crm == 6; /* inner, outer, not shared */

	if (!el1)
		return COUNT_TLBI_ALL;
	if (range)
		return COUNT_TLBI_RANGE;
	if (op2 == 2)
		return COUNT_TLBI_ID;
	return op2 % 2 ? COUNT_TLBI_PAGE : COUNT_TLBI_ALL;
}

/* Barriers, MSR, MRS, SYS: bits 31:22 are 1101010100. */
static inline enum count_kind count_decode_system(uint32_t insn)
{
	bool sys = count_bits(insn, 21, 19) == 1;
	uint32_t crn = count_bits(insn, 15, 12);

	if ((insn & 0xfffff0ff) == 0xd503309f || (insn & 0xfffff3ff) == 0xd503323f)
		return COUNT_DSB;
	if ((insn & 0xfffff0ff) == 0xd50330bf)
		return COUNT_DMB;
	if ((insn & 0xfffff0ff) == 0xd50330df)
		return COUNT_ISB;
	if ((insn & 0xffffffc0) == 0xd5182000)
		return COUNT_TTBR;
	if (sys && (crn == 8 || crn == 9))
		return count_decode_tlbi(insn);
	return COUNT_OTHER;
}

/* Exclusives, compare-and-swap, load-acquire and store-release: bits 29:24 are 001000. */
static inline enum count_kind count_decode_ordered(uint32_t insn)
{
	bool load = count_bits(insn, 22, 22);
	bool plain = count_bits(insn, 23, 23); /* without a reservation */
	bool pair = count_bits(insn, 21, 21);  /* LDXP, STXP; else a compare-and-swap */

	if (pair && (plain || !count_bits(insn, 31, 31)))
		return COUNT_ATOMIC;
	if (plain)
		return load ? COUNT_LOAD : COUNT_STORE;
	return load ? COUNT_EXCLUSIVE : COUNT_ATOMIC;
}

/* One register, address from a register: bits 29:27 are 111, bit 25 is 0. */
static inline enum count_kind count_decode_single(uint32_t insn)
{
	bool vector = count_bits(insn, 26, 26);
	uint32_t size = count_bits(insn, 31, 30);
	uint32_t opc = count_bits(insn, 23, 22);
	bool unsigned_offset = count_bits(insn, 24, 24);

	if (!vector && !unsigned_offset && count_bits(insn, 21, 21) &&
	    count_bits(insn, 11, 10) == 0) {
		bool ldapr = count_bits(insn, 15, 12) == 0xc;

		return ldapr ? COUNT_LOAD : COUNT_ATOMIC;
	}
	if (!unsigned_offset && count_bits(insn, 21, 21) && count_bits(insn, 10, 10))
		return COUNT_LOAD; /* LDRAA, LDRAB */
	if (vector)
		return opc % 2 ? COUNT_LOAD : COUNT_STORE;
	if (size == 3 && opc == 2)
		return COUNT_OTHER; /* PRFM, PRFUM */
	return opc ? COUNT_LOAD : COUNT_STORE;
}

/* Bit 27 is 1 and bit 25 is 0. */
static inline enum count_kind count_decode_access(uint32_t insn)
{
	bool vector = count_bits(insn, 26, 26);
	bool load = count_bits(insn, 22, 22);

	switch (count_bits(insn, 29, 28)) {
	case 0: /* vector: LD1 … ST4 */
		if (vector)
			return load ? COUNT_LOAD : COUNT_STORE;
		return count_decode_ordered(insn);
	case 1:
		if (count_bits(insn, 24, 24)) /* LDAPUR, STLUR */
			return count_bits(insn, 23, 22) ? COUNT_LOAD : COUNT_STORE;
		if (!vector && count_bits(insn, 31, 30) == 3)
			return COUNT_OTHER; /* PRFM (literal) */
		return COUNT_LOAD;
	case 2:
		return load ? COUNT_LOAD : COUNT_STORE;
	default:
		return count_decode_single(insn);
	}
}

static inline enum count_kind count_decode(uint32_t insn)
{
	if (count_bits(insn, 31, 22) == 0x354)
		return count_decode_system(insn);
	if (count_bits(insn, 27, 27) && !count_bits(insn, 25, 25))
		return count_decode_access(insn);
	return COUNT_OTHER;
}

#endif /* COUNT_DECODE_H */
