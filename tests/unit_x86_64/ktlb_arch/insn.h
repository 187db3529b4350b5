/* SPDX-License-Identifier: MIT */
/*
 * The recording insn.h of x86-64: first on the include path of its unit tests, so that the library's
 * C files run unchanged on the build host. The fake machine behind it is in fake.c.
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include "fake.h"

struct ktlb_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline uint64_t ktlb_insn_read_cr3(void)
{
	return fake_this()->cr3;
}

static inline void ktlb_insn_write_cr3(uint64_t value)
{
	fake_write_cr3(value);
}

static inline uint64_t ktlb_insn_read_cr4(void)
{
	return fake_this()->cr4;
}

static inline void ktlb_insn_write_cr4(uint64_t value)
{
	fake_write_cr4(value);
}

static inline void ktlb_insn_invlpg(uint64_t va)
{
	fake_invlpg(va);
}

struct ktlb_invpcid {
	uint64_t pcid, va;
};

static inline void ktlb_insn_invpcid(uint64_t type, struct ktlb_invpcid descriptor)
{
	fake_invpcid(type, descriptor.pcid, descriptor.va);
}

static inline struct ktlb_cpuid ktlb_insn_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct ktlb_cpuid r = {7, 0, 0, 0};

	(void)subleaf;
	if (leaf == 1)
		r.ecx = fake_cpuid1_ecx;
	if (leaf == 7)
		r.ebx = fake_cpuid7_ebx;
	return r;
}

static inline void ktlb_insn_write_percpu_offset(uint64_t offset)
{
	fake_this()->gs_base = offset;
}

static inline uint64_t ktlb_insn_percpu_u64(const uint64_t *original)
{
	return *(const uint64_t *)((uintptr_t)original + fake_this()->gs_base);
}

static inline uint32_t ktlb_insn_percpu_u32(const uint32_t *original)
{
	return *(const uint32_t *)((uintptr_t)original + fake_this()->gs_base);
}

static inline int ktlb_insn_irqs_off(void)
{
	return fake_this()->irqs_off;
}

static inline void ktlb_relax(void)
{
	fake_relax();
}

#endif /* KTLB_ARCH_INSN_H */
