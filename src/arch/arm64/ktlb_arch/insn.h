/* SPDX-License-Identifier: MIT */
/*
 * arm64: one inline function for each privileged instruction. The only assembly of the library:
 * the checker and the unit tests put another insn.h first on the include path and run everything
 * else unchanged.
 *
 * All are volatile and clobber memory: they keep their place among themselves and among accesses
 * to memory. None checks anything; what to do when is the callers' business, and operands come
 * from arch.h. Manual: Arm ARM DDI 0487, the page of each instruction.
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include <stdint.h>

/* To whom an entry belongs: to one id, or to the kernel (global, or cached under any id). */
enum ktlb_scope {
	KTLB_SCOPE_ID,
	KTLB_SCOPE_ID_HERE, /* on this CPU alone: not for broadcasts */
	KTLB_SCOPE_KERNEL,
};

#define KTLB_INSN_READ(name, reg)                                            \
	static inline uint64_t ktlb_insn_read_##name(void)                   \
	{                                                                    \
		uint64_t value;                                              \
                                                                             \
		__asm__ volatile("mrs %0, " reg : "=r"(value) : : "memory"); \
		return value;                                                \
	}
#define KTLB_INSN_WRITE(name, reg)                                             \
	static inline void ktlb_insn_write_##name(uint64_t value)              \
	{                                                                      \
		__asm__ volatile("msr " reg ", %0" : : "r"(value) : "memory"); \
	}

KTLB_INSN_READ(ttbr0, "ttbr0_el1")
KTLB_INSN_READ(ttbr1, "ttbr1_el1")
KTLB_INSN_WRITE(ttbr0, "ttbr0_el1")
KTLB_INSN_WRITE(ttbr1, "ttbr1_el1")
KTLB_INSN_READ(tcr, "tcr_el1")
KTLB_INSN_READ(mmfr0, "id_aa64mmfr0_el1")
KTLB_INSN_READ(mmfr2, "s3_0_c0_c7_2") /* ID_AA64MMFR2_EL1, by number for older assemblers */
KTLB_INSN_READ(isar0, "id_aa64isar0_el1")
KTLB_INSN_WRITE(percpu_offset, "tpidr_el1")

/*
 * TPIDR_EL1 without the memory clobber of the others, so that a caller which uses it twice keeps
 * what it has loaded in between. Still volatile: a thread may be on another CPU the next time.
 */
static inline uint64_t ktlb_insn_percpu_offset(void)
{
	uint64_t offset;

	__asm__ volatile("mrs %0, tpidr_el1" : "=r"(offset));
	return offset;
}

/* A 32-bit field of the running thread's descriptor, whose address is in SP_EL0. */
static inline uint32_t ktlb_insn_thread_u32(uint32_t offset)
{
	const char *thread;

	__asm__ volatile("mrs %0, sp_el0" : "=r"(thread));
	return *(const uint32_t *)(const void *)(thread + offset);
}

/* Are interrupts (DAIF.I) masked on this CPU? */
static inline int ktlb_insn_irqs_off(void)
{
	uint64_t daif;

	__asm__ volatile("mrs %0, daif" : "=r"(daif));
	return (int)(daif >> 7 & 1);
}

/* In every loop that waits. */
static inline void ktlb_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

static inline void ktlb_insn_isb(void)
{
	__asm__ volatile("isb" : : : "memory");
}

/* Waits for everything before it, TLBIs of this CPU included, inner shareable. */
static inline void ktlb_insn_dsb_ish(void)
{
	__asm__ volatile("dsb ish" : : : "memory");
}

/* Waits for stores only: they are then visible to every walker. Later loads wait, too. */
static inline void ktlb_insn_dsb_ishst(void)
{
	__asm__ volatile("dsb ishst" : : : "memory");
}

/* Waits for what concerns this CPU alone. */
static inline void ktlb_insn_dsb_nsh(void)
{
	__asm__ volatile("dsb nsh" : : : "memory");
}

/* Everything of stage 1, this CPU only. */
static inline void ktlb_insn_tlbi_vmalle1(void)
{
	__asm__ volatile("tlbi vmalle1" : : : "memory");
}

/* Everything that is not global under one id, this CPU only. */
static inline void ktlb_insn_local_id(uint64_t operand)
{
	__asm__ volatile("tlbi aside1, %0" : : "r"(operand) : "memory");
}

/* One address under one id, or a range, this CPU only; as ktlb_insn_broadcast_va. */
static inline __attribute__((always_inline)) void ktlb_insn_local_va(int leaf_only, int range,
                                                                     uint64_t operand)
{
	switch ((leaf_only != 0) * 2 + (range != 0)) {
	case 0:
		__asm__ volatile("tlbi vae1, %0" : : "r"(operand) : "memory");
		break;
	case 1: /* RVAE1 */
		__asm__ volatile("sys #0, c8, c6, #1, %0" : : "r"(operand) : "memory");
		break;
	case 2:
		__asm__ volatile("tlbi vale1, %0" : : "r"(operand) : "memory");
		break;
	case 3: /* RVALE1 */
		__asm__ volatile("sys #0, c8, c6, #5, %0" : : "r"(operand) : "memory");
		break;
	}
}

/* Everything of stage 1, every CPU. */
static inline void ktlb_insn_broadcast_all(void)
{
	__asm__ volatile("tlbi vmalle1is" : : : "memory");
}

/* Everything that is not global under one id, every CPU. */
static inline void ktlb_insn_broadcast_id(uint64_t operand)
{
	__asm__ volatile("tlbi aside1is, %0" : : "r"(operand) : "memory");
}

/*
 * One address, or a range, every CPU. `scope`, `leaf_only` and `range` are constants of the caller,
 * so that one instruction remains. The range forms are written as SYS: the assembler would ask
 * for -march=armv8.4-a, and whether the CPU has them is known at run time only.
 */
static inline __attribute__((always_inline)) void
ktlb_insn_broadcast_va(enum ktlb_scope scope, int leaf_only, int range, uint64_t operand)
{
	switch ((scope == KTLB_SCOPE_KERNEL) * 4 + (leaf_only != 0) * 2 + (range != 0)) {
	case 0:
		__asm__ volatile("tlbi vae1is, %0" : : "r"(operand) : "memory");
		break;
	case 1: /* RVAE1IS */
		__asm__ volatile("sys #0, c8, c2, #1, %0" : : "r"(operand) : "memory");
		break;
	case 2:
		__asm__ volatile("tlbi vale1is, %0" : : "r"(operand) : "memory");
		break;
	case 3: /* RVALE1IS */
		__asm__ volatile("sys #0, c8, c2, #5, %0" : : "r"(operand) : "memory");
		break;
	case 4:
		__asm__ volatile("tlbi vaae1is, %0" : : "r"(operand) : "memory");
		break;
	case 5: /* RVAAE1IS */
		__asm__ volatile("sys #0, c8, c2, #3, %0" : : "r"(operand) : "memory");
		break;
	case 6:
		__asm__ volatile("tlbi vaale1is, %0" : : "r"(operand) : "memory");
		break;
	case 7: /* RVAALE1IS */
		__asm__ volatile("sys #0, c8, c2, #7, %0" : : "r"(operand) : "memory");
		break;
	}
}

#endif /* KTLB_ARCH_INSN_H */
