/* SPDX-License-Identifier: MIT */
/*
 * arm64's privileged instructions, executed by the simulated CPU (sim/cpu_arm64.c). Names and types
 * are those of src/arch/arm64/ktlb_arch/insn.h, in whose place the checker's include path puts
 * this.
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include <stdint.h>

enum ktlb_scope {
	KTLB_SCOPE_ID,
	KTLB_SCOPE_ID_HERE,
	KTLB_SCOPE_KERNEL,
};

uint64_t sim_insn_read_ttbr0(void);
uint64_t sim_insn_read_ttbr1(void);
void sim_insn_write_ttbr0(uint64_t value);
void sim_insn_write_ttbr1(uint64_t value);
uint64_t sim_insn_read_tcr(void);
uint64_t sim_insn_read_mmfr0(void);
uint64_t sim_insn_read_mmfr2(void);
uint64_t sim_insn_read_isar0(void);
void sim_insn_write_tpidr(uint64_t value);
uint64_t sim_insn_read_tpidr(void);
uint32_t sim_insn_thread_u32(uint32_t offset);
int sim_insn_irqs_off(void);
void sim_insn_isb(void);
void sim_insn_dsb_ish(void);
void sim_insn_dsb_ishst(void);
void sim_insn_dsb_nsh(void);
void sim_insn_tlbi_vmalle1(void);
void sim_insn_tlbi_vmalle1is(void);
void sim_insn_tlbi_aside1is(uint64_t operand);
void sim_insn_tlbi_va(int any_id, int local, int leaf_only, int range, uint64_t operand);
void sim_insn_tlbi_aside1(uint64_t operand);
void sim_relax(void);

static inline uint64_t ktlb_insn_read_ttbr0(void)
{
	return sim_insn_read_ttbr0();
}

static inline uint64_t ktlb_insn_read_ttbr1(void)
{
	return sim_insn_read_ttbr1();
}

static inline void ktlb_insn_write_ttbr0(uint64_t value)
{
	sim_insn_write_ttbr0(value);
}

static inline void ktlb_insn_write_ttbr1(uint64_t value)
{
	sim_insn_write_ttbr1(value);
}

static inline uint64_t ktlb_insn_read_tcr(void)
{
	return sim_insn_read_tcr();
}

static inline uint64_t ktlb_insn_read_mmfr0(void)
{
	return sim_insn_read_mmfr0();
}

static inline uint64_t ktlb_insn_read_mmfr2(void)
{
	return sim_insn_read_mmfr2();
}

static inline uint64_t ktlb_insn_read_isar0(void)
{
	return sim_insn_read_isar0();
}

static inline void ktlb_insn_write_percpu_offset(uint64_t value)
{
	sim_insn_write_tpidr(value);
}

static inline uint64_t ktlb_insn_percpu_offset(void)
{
	return sim_insn_read_tpidr();
}

static inline uint32_t ktlb_insn_thread_u32(uint32_t offset)
{
	return sim_insn_thread_u32(offset);
}

static inline int ktlb_insn_irqs_off(void)
{
	return sim_insn_irqs_off();
}

static inline void ktlb_relax(void)
{
	sim_relax();
}

static inline void ktlb_insn_isb(void)
{
	sim_insn_isb();
}

static inline void ktlb_insn_dsb_ish(void)
{
	sim_insn_dsb_ish();
}

static inline void ktlb_insn_dsb_ishst(void)
{
	sim_insn_dsb_ishst();
}

static inline void ktlb_insn_dsb_nsh(void)
{
	sim_insn_dsb_nsh();
}

static inline void ktlb_insn_tlbi_vmalle1(void)
{
	sim_insn_tlbi_vmalle1();
}

static inline void ktlb_insn_broadcast_all(void)
{
	sim_insn_tlbi_vmalle1is();
}

static inline void ktlb_insn_broadcast_id(uint64_t operand)
{
	sim_insn_tlbi_aside1is(operand);
}

/* TLBI [R]VA[A][L]E1IS. */
static inline void ktlb_insn_broadcast_va(enum ktlb_scope scope, int leaf_only, int range,
                                          uint64_t operand)
{
	sim_insn_tlbi_va(scope == KTLB_SCOPE_KERNEL, 0, leaf_only, range, operand);
}

/* TLBI [R]VA[L]E1. */
static inline void ktlb_insn_local_va(int leaf_only, int range, uint64_t operand)
{
	sim_insn_tlbi_va(0, 1, leaf_only, range, operand);
}

static inline void ktlb_insn_local_id(uint64_t operand)
{
	sim_insn_tlbi_aside1(operand);
}

#endif /* KTLB_ARCH_INSN_H */
