/* SPDX-License-Identifier: MIT */
/*
 * Which half of ktlb the architecture takes, for the structs of ktlb.h: arm64 has ids per system and
 * tells other CPUs by broadcast.
 */
#ifndef KTLB_ARCH_HALF_H
#define KTLB_ARCH_HALF_H

#include <ktlb/config.h>

#define KTLB_ARCH_INTERRUPTS 0

#if KTLB_CFG_SPLIT_IDS && !KTLB_CFG_ARM64_ASID_IN_TTBR1
#error "KTLB_CFG_SPLIT_IDS needs KTLB_CFG_ARM64_ASID_IN_TTBR1: TTBR1_EL1 changes on the way out"
#endif

/* For ktlb/cpu.h: the per-CPU base, and the number of this CPU. */
#define KTLB_ARCH_PERCPU_OFFSET() ktlb_insn_percpu_offset()
#if KTLB_CFG_OPT_CPU_ID_IN_THREAD
#define KTLB_ARCH_CPU_ID() ktlb_insn_thread_u32(KTLB_CFG_THREAD_OFFSET)
#else
#define KTLB_ARCH_CPU_ID() (*KTLB_CPU_FIELD(number))
#endif

#endif /* KTLB_ARCH_HALF_H */
