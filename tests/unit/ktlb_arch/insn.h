/* SPDX-License-Identifier: MIT */
/*
 * The recording insn.h: first on the include path of the unit tests, so that the library's C files
 * run unchanged on the build host. Each privileged instruction of arm64 becomes an event of the
 * fake machine in fake.c, which also keeps the registers and a simple TLB for each fake CPU.
 */
#ifndef KTLB_ARCH_INSN_H
#define KTLB_ARCH_INSN_H

#include "fake.h"

static inline uint64_t ktlb_insn_read_ttbr0(void)
{
	return fake_this()->ttbr0;
}

static inline uint64_t ktlb_insn_read_ttbr1(void)
{
	return fake_this()->ttbr1;
}

static inline void ktlb_insn_write_ttbr0(uint64_t value)
{
	fake_event(FAKE_TTBR0, value, 0);
}

static inline void ktlb_insn_write_ttbr1(uint64_t value)
{
	fake_event(FAKE_TTBR1, value, 0);
}

static inline uint64_t ktlb_insn_read_tcr(void)
{
	return fake_this()->tcr;
}

static inline uint64_t ktlb_insn_read_mmfr0(void)
{
	return fake_this()->mmfr0;
}

static inline uint64_t ktlb_insn_read_mmfr2(void)
{
	return fake_this()->mmfr2;
}

static inline uint64_t ktlb_insn_read_isar0(void)
{
	return fake_this()->isar0;
}

static inline void ktlb_insn_write_percpu_offset(uint64_t value)
{
	fake_this()->tpidr = value;
}

static inline uint64_t ktlb_insn_percpu_offset(void)
{
	return fake_this()->tpidr;
}

static inline uint32_t ktlb_insn_thread_u32(uint32_t offset)
{
	return fake_this()->thread[offset / 4];
}

static inline int ktlb_insn_irqs_off(void)
{
	return fake_this()->irqs_off;
}

static inline void ktlb_relax(void)
{
	fake_relax();
}

static inline void ktlb_insn_isb(void)
{
	fake_event(FAKE_ISB, 0, 0);
}

static inline void ktlb_insn_dsb_ish(void)
{
	fake_event(FAKE_DSB_ISH, 0, 0);
}

static inline void ktlb_insn_dsb_ishst(void)
{
	fake_event(FAKE_DSB_ISHST, 0, 0);
}

static inline void ktlb_insn_dsb_nsh(void)
{
	fake_event(FAKE_DSB_NSH, 0, 0);
}

static inline void ktlb_insn_tlbi_vmalle1(void)
{
	fake_event(FAKE_TLBI_OWN, 0, 0);
}

static inline void ktlb_insn_local_id(uint64_t operand)
{
	fake_event(FAKE_TLBI_ID_OWN, operand, 0);
}

static inline void ktlb_insn_local_va(int leaf_only, int range, uint64_t operand)
{
	fake_event(range ? FAKE_TLBI_RANGE_OWN : FAKE_TLBI_VA_OWN, operand,
	           leaf_only ? FAKE_LEAF : 0u);
}

static inline void ktlb_insn_broadcast_all(void)
{
	fake_event(FAKE_TLBI_ALL, 0, 0);
}

static inline void ktlb_insn_broadcast_id(uint64_t operand)
{
	fake_event(FAKE_TLBI_ID, operand, 0);
}

enum ktlb_scope {
	KTLB_SCOPE_ID,
	KTLB_SCOPE_ID_HERE,
	KTLB_SCOPE_KERNEL,
};

static inline void ktlb_insn_broadcast_va(enum ktlb_scope scope, int leaf_only, int range,
                                          uint64_t operand)
{
	fake_event(range ? FAKE_TLBI_RANGE : FAKE_TLBI_VA, operand,
	           (scope == KTLB_SCOPE_KERNEL ? FAKE_KERNEL : 0u) | (leaf_only ? FAKE_LEAF : 0u));
}

#endif /* KTLB_ARCH_INSN_H */
