/* SPDX-License-Identifier: MIT */
/*
 * Who am I: the number of this CPU, and this CPU's copy of a per-CPU variable, in the fewest
 * instructions that the architecture allows. ktlb uses them; so can the kernel.
 *
 * The number (KTLB_CFG_CPU_ID == KTLB_OWN)
 *   Origin O3: the kernel keeps the address of the running thread's descriptor in a register
 *   (arm64: SP_EL0), and a struct ktlb_thread lies KTLB_CFG_THREAD_OFFSET bytes into it. The
 *   scheduler writes ktlb_thread.cpu while the thread cannot run, before the thread runs on that
 *   CPU. Two instructions on arm64: MRS, LDR.
 *
 * The variable (KTLB_CFG_PERCPU == KTLB_OWN)
 *   A per-CPU variable is defined once, KTLB_PERCPU(type, name), and linked once; each CPU has a
 *   copy of the whole section, all at the same distance from the original. The base register
 *   (arm64: TPIDR_EL1) holds that distance; ktlb_cpu_online writes it, taking it from where the
 *   state that it is given lies as against ktlb_percpu, ktlb's own variable. Nobody uses the
 *   originals: a CPU starts with 0 in that register, and what it does before it is online is thereby
 *   told from what CPU 0 does. A kernel with no other per-CPU variable needs no linker script.
 *
 * Both are plain loads: the field of a thread is written while the thread cannot run, that of a CPU
 * once. (An atomic load would take one instruction more on arm64, since it has fewer ways to form an
 * address.)
 *
 * Context of both: wherever the thread cannot be moved to another CPU; elsewhere the answer can be
 * out of date before it is used.
 */
#ifndef KTLB_CPU_H
#define KTLB_CPU_H

#include <stdint.h>

#include <ktlb/atomic.h>
#include <ktlb/config.h>
#include <ktlb/ktlb.h>
#include <ktlb/port.h>
#include <ktlb_arch/insn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To embed in the kernel's thread descriptor. */
struct ktlb_thread {
	uint32_t cpu;
};

/* Defines or declares a variable that each CPU has a copy of. */
#define KTLB_PERCPU(type, name)         __attribute__((section(KTLB_CFG_PERCPU_SECTION))) type name
#define KTLB_PERCPU_DECLARE(type, name) extern KTLB_PERCPU(type, name)

/* The original of ktlb's own per-CPU variable. */
KTLB_PERCPU_DECLARE(struct ktlb_cpu, ktlb_percpu);

#if KTLB_CFG_PERCPU == KTLB_OWN
/* The address of this CPU's copy of x. */
#define ktlb_this_cpu(x) \
	((__typeof__(&(x)))(void *)((uintptr_t) & (x) + (uintptr_t)KTLB_ARCH_PERCPU_OFFSET()))
#endif

/* This CPU's state, and a field of it: with ktlb's own base an address of its own, not a sum. */
#if KTLB_CFG_PERCPU == KTLB_OWN
#define KTLB_CPU_FIELD(field) ktlb_this_cpu(ktlb_percpu.field)
#else
#define KTLB_CPU_FIELD(field) (&ktlb_port_this_cpu()->field)
#endif
static inline struct ktlb_cpu *ktlb_cpu_self(void)
{
#if KTLB_CFG_PERCPU == KTLB_OWN
	return ktlb_this_cpu(ktlb_percpu);
#else
	return ktlb_port_this_cpu();
#endif
}

/* The number of this CPU. */
static inline uint32_t ktlb_cpu_id(void)
{
#if KTLB_CFG_CPU_ID == KTLB_KERNEL
	return ktlb_port_cpu_id();
#else
	return KTLB_ARCH_CPU_ID();
#endif
}

#ifdef __cplusplus
}
#endif

#endif /* KTLB_CPU_H */
