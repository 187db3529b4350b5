/* SPDX-License-Identifier: MIT */
/*
 * x86-64's privileged instructions, executed by the simulated CPU (sim/cpu_x86_64.c). Names and
 * types are those of src/arch/x86_64/ktlb_arch/insn.h, in whose place the checker's include path
 * puts this.
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include <stdint.h>

struct ktlb_invpcid {
	uint64_t pcid, va;
};

struct ktlb_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

uint64_t sim_insn_read_cr3(void);
void sim_insn_write_cr3(uint64_t value);
uint64_t sim_insn_read_cr4(void);
void sim_insn_write_cr4(uint64_t value);
void sim_insn_invlpg(uint64_t va);
void sim_insn_invpcid(uint64_t type, uint64_t pcid, uint64_t va);
void sim_insn_cpuid(uint32_t leaf, uint32_t subleaf, struct ktlb_cpuid *result);
void sim_insn_write_gs_base(uint64_t value);
uint64_t sim_insn_percpu_u64(const uint64_t *original);
uint32_t sim_insn_percpu_u32(const uint32_t *original);
int sim_insn_irqs_off(void);
void sim_relax(void);

static inline uint64_t ktlb_insn_read_cr3(void)
{
	return sim_insn_read_cr3();
}

static inline void ktlb_insn_write_cr3(uint64_t value)
{
	sim_insn_write_cr3(value);
}

static inline uint64_t ktlb_insn_read_cr4(void)
{
	return sim_insn_read_cr4();
}

static inline void ktlb_insn_write_cr4(uint64_t value)
{
	sim_insn_write_cr4(value);
}

static inline void ktlb_insn_invlpg(uint64_t va)
{
	sim_insn_invlpg(va);
}

static inline void ktlb_insn_invpcid(uint64_t type, struct ktlb_invpcid descriptor)
{
	sim_insn_invpcid(type, descriptor.pcid, descriptor.va);
}

static inline struct ktlb_cpuid ktlb_insn_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct ktlb_cpuid result;

	sim_insn_cpuid(leaf, subleaf, &result);
	return result;
}

static inline void ktlb_insn_write_percpu_offset(uint64_t offset)
{
	sim_insn_write_gs_base(offset);
}

static inline uint64_t ktlb_insn_percpu_u64(const uint64_t *original)
{
	return sim_insn_percpu_u64(original);
}

static inline uint32_t ktlb_insn_percpu_u32(const uint32_t *original)
{
	return sim_insn_percpu_u32(original);
}

static inline int ktlb_insn_irqs_off(void)
{
	return sim_insn_irqs_off();
}

static inline void ktlb_relax(void)
{
	sim_relax();
}

#endif /* KTLB_ARCH_INSN_H */
