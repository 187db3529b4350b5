/* SPDX-License-Identifier: MIT */
/*
 * x86-64: one inline function for each privileged instruction. The only assembly of this half, and
 * replaced as a whole by the checker and the unit tests.
 *
 * All are volatile and, unless they only read what belongs to this CPU, clobber memory. What to do
 * when is the callers' business; operands come from arch.h. Manual: Intel SDM volume 2, the page of
 * each instruction, and volume 3, "Invalidation of TLBs and Paging-Structure Caches".
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include <stdint.h>

static inline uint64_t ktlb_insn_read_cr3(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr3, %0" : "=r"(value) : : "memory");
	return value;
}

/* Serialising: stores before it are visible, and no walk after it uses the old root. */
static inline void ktlb_insn_write_cr3(uint64_t value)
{
	__asm__ volatile("movq %0, %%cr3" : : "r"(value) : "memory");
}

static inline uint64_t ktlb_insn_read_cr4(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr4, %0" : "=r"(value) : : "memory");
	return value;
}

static inline void ktlb_insn_write_cr4(uint64_t value)
{
	__asm__ volatile("movq %0, %%cr4" : : "r"(value) : "memory");
}

static inline void ktlb_insn_invlpg(uint64_t va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

struct ktlb_invpcid {
	uint64_t pcid, va;
};

static inline void ktlb_insn_invpcid(uint64_t type, struct ktlb_invpcid descriptor)
{
	__asm__ volatile("invpcid %1, %0" : : "r"(type), "m"(descriptor) : "memory");
}

struct ktlb_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct ktlb_cpuid ktlb_insn_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct ktlb_cpuid r = {leaf, 0, subleaf, 0};

	__asm__ volatile("cpuid" : "+a"(r.eax), "=b"(r.ebx), "+c"(r.ecx), "=d"(r.edx) : : "memory");
	return r;
}

/* MSR IA32_GS_BASE. */
static inline void ktlb_insn_write_percpu_offset(uint64_t offset)
{
	__asm__ volatile("wrmsr"
	                 :
	                 : "c"(0xc0000101u), "a"((uint32_t)offset), "d"((uint32_t)(offset >> 32))
	                 : "memory");
}

/* This CPU's copy of a per-CPU variable, whose original is at the address given: one load. */
static inline uint64_t ktlb_insn_percpu_u64(const uint64_t *original)
{
	uint64_t value;

	__asm__ volatile("movq %%gs:%1, %0" : "=r"(value) : "m"(*original));
	return value;
}

static inline uint32_t ktlb_insn_percpu_u32(const uint32_t *original)
{
	uint32_t value;

	__asm__ volatile("movl %%gs:%1, %0" : "=r"(value) : "m"(*original));
	return value;
}

/* Are interrupts (RFLAGS.IF) masked on this CPU? */
static inline int ktlb_insn_irqs_off(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	return (int)(~flags >> 9 & 1);
}

/* In every loop that waits. */
static inline void ktlb_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif /* KTLB_ARCH_INSN_H */
