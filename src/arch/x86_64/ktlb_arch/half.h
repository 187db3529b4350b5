/* SPDX-License-Identifier: MIT */
/*
 * Which half of ktlb the architecture takes, for the structs of ktlb.h: x86-64 has ids per CPU and
 * tells other CPUs by interrupt.
 */
#ifndef KTLB_ARCH_HALF_H
#define KTLB_ARCH_HALF_H

#include <ktlb/config.h>

#define KTLB_ARCH_INTERRUPTS 1

/*
 * For ktlb/cpu.h: the per-CPU base, which each copy holds itself, since reading IA32_GS_BASE costs
 * more than a load; and the number of this CPU, one instruction in both arms of O3: to go through a
 * thread's descriptor would be two, for its address is a per-CPU variable itself.
 */
#define KTLB_ARCH_PERCPU_OFFSET() ktlb_insn_percpu_u64(&ktlb_percpu.offset)
#if KTLB_CFG_PERCPU == KTLB_OWN
#define KTLB_ARCH_CPU_ID() ktlb_insn_percpu_u32(&ktlb_percpu.number)
#else
#define KTLB_ARCH_CPU_ID() (*KTLB_CPU_FIELD(number))
#endif

#endif /* KTLB_ARCH_HALF_H */
