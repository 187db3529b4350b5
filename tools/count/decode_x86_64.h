/* SPDX-License-Identifier: MIT */
/*
 * What an x86-64 instruction counts as, decided by its bytes alone. Every instruction is of exactly
 * one kind. Loads and stores are no kinds here: most instructions can be either.
 *
 * The only thing that is told apart by more than its opcode is the full fence of the library (and of
 * Linux), a locked OR of 0 to the top of the stack: it is a fence and no read-modify-write that
 * anybody shares. PAUSE is "other".
 *
 * Encodings: Intel SDM volume 2, "Instruction Format", appendix A "Opcode Map".
 */
#ifndef COUNT_DECODE_X86_64_H
#define COUNT_DECODE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum count_x86_64_kind {
	COUNT_X86_64_OTHER,
	COUNT_X86_64_ATOMIC,  /* a LOCK prefix, or XCHG with memory, which locks without one */
	COUNT_X86_64_FENCE,   /* MFENCE, or LOCK OR $0, (%rsp) */
	COUNT_X86_64_ROOT,    /* a write of CR3 */
	COUNT_X86_64_INVLPG,  /* one page */
	COUNT_X86_64_INVPCID, /* whatever it invalidates */
	COUNT_X86_64_KINDS
};

/* An instruction, taken apart as far as is needed. Bytes beyond its end read as 0. */
struct count_x86_64 {
	const uint8_t *byte;
	size_t size;
	size_t at; /* the first byte that was not looked at yet */
	bool lock, operand_size, repeat;
	uint8_t rex;
};

static inline uint8_t count_x86_64_byte(const struct count_x86_64 *insn, size_t ahead)
{
	return insn->at + ahead < insn->size ? insn->byte[insn->at + ahead] : 0;
}

/* Prefixes in any order; a REX counts only if it is the last. */
static inline void count_x86_64_prefixes(struct count_x86_64 *insn)
{
	for (;; insn->at++) {
		uint8_t byte = count_x86_64_byte(insn, 0);

		switch (byte) {
		case 0xf0:
			insn->lock = true;
			break;
		case 0x66:
			insn->operand_size = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0x67:
			break;
		case 0xf2:
		case 0xf3:
			insn->repeat = true;
			break;
		default:
			if ((byte & 0xf0) != 0x40)
				return;
			insn->rex = byte;
			continue;
		}
		insn->rex = 0;
	}
}

/* After LOCK: OR $0, (%rsp). Not with REX.B, which makes it %r12. */
static inline bool count_x86_64_is_fence(const struct count_x86_64 *insn)
{
	return count_x86_64_byte(insn, 0) == 0x83 && count_x86_64_byte(insn, 1) == 0x0c &&
	       count_x86_64_byte(insn, 2) == 0x24 && count_x86_64_byte(insn, 3) == 0 &&
	       !(insn->rex & 1);
}

/* Opcodes that begin with 0F; `insn` is at what follows it. */
static inline enum count_x86_64_kind count_x86_64_two_bytes(const struct count_x86_64 *insn)
{
	uint8_t modrm = count_x86_64_byte(insn, 1);
	uint8_t reg = modrm >> 3 & 7;
	bool memory = modrm >> 6 != 3;

	switch (count_x86_64_byte(insn, 0)) {
	case 0x01: /* else SWAPGS, RDTSCP, … */
		return reg == 7 && memory ? COUNT_X86_64_INVLPG : COUNT_X86_64_OTHER;
	case 0x22: /* REX.R: CR11, which is none */
		return reg == 3 && !(insn->rex & 4) ? COUNT_X86_64_ROOT : COUNT_X86_64_OTHER;
	case 0x38:
		return insn->operand_size && modrm == 0x82 ? COUNT_X86_64_INVPCID
		                                           : COUNT_X86_64_OTHER;
	case 0xae: /* else LFENCE, SFENCE, UMONITOR, … */
		return reg == 6 && !memory && !insn->operand_size && !insn->repeat
		               ? COUNT_X86_64_FENCE
		               : COUNT_X86_64_OTHER;
	default:
		return COUNT_X86_64_OTHER;
	}
}

static inline enum count_x86_64_kind count_decode_x86_64(const uint8_t *byte, size_t size)
{
	struct count_x86_64 insn = {.byte = byte, .size = size};
	uint8_t opcode;

	count_x86_64_prefixes(&insn);
	opcode = count_x86_64_byte(&insn, 0);
	if (insn.lock)
		return count_x86_64_is_fence(&insn) ? COUNT_X86_64_FENCE : COUNT_X86_64_ATOMIC;
	if (opcode == 0x86 || opcode == 0x87) {
		bool memory = count_x86_64_byte(&insn, 1) >> 6 != 3;

		return memory ? COUNT_X86_64_ATOMIC : COUNT_X86_64_OTHER;
	}
	if (opcode == 0x0f) {
		insn.at++;
		return count_x86_64_two_bytes(&insn);
	}
	return COUNT_X86_64_OTHER;
}

#endif /* COUNT_DECODE_X86_64_H */
