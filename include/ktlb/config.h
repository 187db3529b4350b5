/* SPDX-License-Identifier: MIT */
/*
 * The options of ktlb, each with its default, its price, and a check of its value.
 *
 * A kernel changes one by -DKTLB_CFG_X=value for the library and for its own files alike, or by
 * naming a header of its own: -DKTLB_CONFIG_FILE='"my_ktlb_config.h"'. No option changes the
 * layout of a public struct, except KTLB_CFG_MAX_CPUS and KTLB_CFG_CACHE_LINE; those are part of the
 * name of the symbol behind ktlb_init, so that two files that disagree on them do not link.
 */
#ifndef KTLB_CONFIG_H
#define KTLB_CONFIG_H

#ifdef KTLB_CONFIG_FILE
#include KTLB_CONFIG_FILE
#endif

/* Names for the values of the options. */
#define KTLB_TLBI_NONE        1
#define KTLB_TLBI_ALWAYS      2
#define KTLB_TLBI_PAGE_STRIDE 3
#define KTLB_TLBI_PLANNER     4

#define KTLB_COVER_EXACT 1
#define KTLB_COVER_TWO   2
#define KTLB_COVER_ONE   3

#define KTLB_OWN    1
#define KTLB_KERNEL 2

/*
 * How many CPUs there can be: CPU numbers are 0 .. MAX_CPUS - 1, with holes if you like. A plain
 * number, no expression: it is pasted into a symbol's name.
 */
#ifndef KTLB_CFG_MAX_CPUS
#define KTLB_CFG_MAX_CPUS 64
#endif
#if KTLB_CFG_MAX_CPUS < 1 || KTLB_CFG_MAX_CPUS > 4096
#error "KTLB_CFG_MAX_CPUS must be 1 to 4096"
#endif

/*
 * O1. 1: the switch finds this CPU's active id through the per-CPU base register. 0: through the
 * CPU number and the table of all CPUs, two loads more, as before the change.
 */
#ifndef KTLB_CFG_OPT_THIS_CPU_ASID
#define KTLB_CFG_OPT_THIS_CPU_ASID 1
#endif
#if KTLB_CFG_OPT_THIS_CPU_ASID != 0 && KTLB_CFG_OPT_THIS_CPU_ASID != 1
#error "KTLB_CFG_OPT_THIS_CPU_ASID must be 0 or 1"
#endif

/*
 * O2, arm64. What a flush of several leaves becomes on a CPU that has FEAT_TLBIRANGE (on one that
 * has not, every value behaves as NONE):
 *   NONE         one instruction a leaf, and the whole id from ktlb_config.full_flush_strides on
 *   ALWAYS       range instructions whatever the leaf size                       (the origin's v3)
 *   PAGE_STRIDE  range instructions for pages, one instruction a leaf for blocks (the origin's v4)
 *   PLANNER      whatever takes the fewest instructions
 */
#ifndef KTLB_CFG_TLBI_RANGE
#define KTLB_CFG_TLBI_RANGE KTLB_TLBI_PLANNER
#endif
#if KTLB_CFG_TLBI_RANGE < KTLB_TLBI_NONE || KTLB_CFG_TLBI_RANGE > KTLB_TLBI_PLANNER
#error "KTLB_CFG_TLBI_RANGE must be KTLB_TLBI_NONE, _ALWAYS, _PAGE_STRIDE or _PLANNER"
#endif

/*
 * arm64, with KTLB_TLBI_PLANNER: how closely range instructions fit. To invalidate more than was asked
 * for is always right, and costs what is then looked up again:
 *   EXACT  nothing more: up to 5 instructions, or 20 with LPA2
 *   TWO    at most 2, and at the end of the range at most a 32nd of it more
 *   ONE    1, and up to twice as much
 * With LPA2 and TWO or ONE also up to 64 KiB less a page at the beginning. EXACT where that would leave
 * the half of the address space; beyond the largest range (2^21 pages) TWO and ONE take everything.
 */
#ifndef KTLB_CFG_TLBI_COVER
#define KTLB_CFG_TLBI_COVER KTLB_COVER_EXACT
#endif
#if KTLB_CFG_TLBI_COVER < KTLB_COVER_EXACT || KTLB_CFG_TLBI_COVER > KTLB_COVER_ONE
#error "KTLB_CFG_TLBI_COVER must be KTLB_COVER_EXACT, _TWO or _ONE"
#endif

/*
 * Whose way of naming the current CPU is used. KTLB_OWN: ktlb's, see ktlb/cpu.h. KTLB_KERNEL: the
 * kernel's: KTLB_PORT_FILE names a header with ktlb_port_cpu_id(), see ktlb/port.h.
 */
#ifndef KTLB_CFG_CPU_ID
#define KTLB_CFG_CPU_ID KTLB_OWN
#endif
#if KTLB_CFG_CPU_ID != KTLB_OWN && KTLB_CFG_CPU_ID != KTLB_KERNEL
#error "KTLB_CFG_CPU_ID must be KTLB_OWN or KTLB_KERNEL"
#endif

/*
 * O3, with KTLB_CFG_CPU_ID == KTLB_OWN. 1: the CPU number is a field of the running thread's
 * descriptor, whose address is in a register (arm64: SP_EL0). 0: it is a per-CPU variable, as
 * before the change.
 */
#ifndef KTLB_CFG_OPT_CPU_ID_IN_THREAD
#define KTLB_CFG_OPT_CPU_ID_IN_THREAD 1
#endif
#if KTLB_CFG_OPT_CPU_ID_IN_THREAD != 0 && KTLB_CFG_OPT_CPU_ID_IN_THREAD != 1
#error "KTLB_CFG_OPT_CPU_ID_IN_THREAD must be 0 or 1"
#endif

/* Where in the kernel's thread descriptor its struct ktlb_thread lies, in bytes. */
#ifndef KTLB_CFG_THREAD_OFFSET
#define KTLB_CFG_THREAD_OFFSET 0
#endif
#if KTLB_CFG_THREAD_OFFSET < 0 || KTLB_CFG_THREAD_OFFSET > 4092 || KTLB_CFG_THREAD_OFFSET % 4
#error "KTLB_CFG_THREAD_OFFSET must be a multiple of 4 below 4096: one load has to reach it"
#endif

/*
 * Whose per-CPU base is used. KTLB_OWN: ktlb's (arm64: TPIDR_EL1 holds the distance from a per-CPU
 * variable as the linker placed it to this CPU's copy), see ktlb/cpu.h. KTLB_KERNEL: the kernel's
 * own: KTLB_PORT_FILE names a header with ktlb_port_this_cpu().
 */
#ifndef KTLB_CFG_PERCPU
#define KTLB_CFG_PERCPU KTLB_OWN
#endif
#if KTLB_CFG_PERCPU != KTLB_OWN && KTLB_CFG_PERCPU != KTLB_KERNEL
#error "KTLB_CFG_PERCPU must be KTLB_OWN or KTLB_KERNEL"
#endif

/* The section of per-CPU variables, for a linker script that gathers and copies them. */
#ifndef KTLB_CFG_PERCPU_SECTION
#define KTLB_CFG_PERCPU_SECTION ".data.percpu"
#endif

/*
 * arm64: where the hardware reads the current ASID, that is, TCR_EL1.A1. 0: TTBR0_EL1, beside the
 * user's root: one register holds both, so that no instant mixes them. 1: TTBR1_EL1, as kernels
 * need that split ids for page-table isolation: the switch then passes through the empty table.
 * ktlb_cpu_online fails if TCR_EL1 says otherwise.
 */
#ifndef KTLB_CFG_ARM64_ASID_IN_TTBR1
#define KTLB_CFG_ARM64_ASID_IN_TTBR1 0
#endif
#if KTLB_CFG_ARM64_ASID_IN_TTBR1 != 0 && KTLB_CFG_ARM64_ASID_IN_TTBR1 != 1
#error "KTLB_CFG_ARM64_ASID_IN_TTBR1 must be 0 or 1"
#endif

/* arm64: log2 of the translation granule, the same in both halves; checked against TCR_EL1. */
#ifndef KTLB_CFG_ARM64_GRANULE_SHIFT
#define KTLB_CFG_ARM64_GRANULE_SHIFT 12
#endif
#if KTLB_CFG_ARM64_GRANULE_SHIFT != 12 && KTLB_CFG_ARM64_GRANULE_SHIFT != 14 && \
	KTLB_CFG_ARM64_GRANULE_SHIFT != 16
#error "KTLB_CFG_ARM64_GRANULE_SHIFT must be 12, 14 or 16"
#endif

/* arm64: 1 if TCR_EL1.DS is set (FEAT_LPA2): range operands then count in 64 KiB. Checked too. */
#ifndef KTLB_CFG_ARM64_LPA2
#define KTLB_CFG_ARM64_LPA2 0
#endif
#if KTLB_CFG_ARM64_LPA2 != 0 && KTLB_CFG_ARM64_LPA2 != 1
#error "KTLB_CFG_ARM64_LPA2 must be 0 or 1"
#endif

/*
 * arm64: 1: spaces are loaded with CnP set in TTBR0_EL1 where the CPUs have FEAT_TTCNP, so that CPUs
 * which share a TLB share entries. The empty table is loaded without it, and before the allocator runs;
 * what a CPU owes after a rollover empties the TLBs of all. Every CPU that has the bit set must mean
 * the same table by an id, those that ktlb does not know included: do not set it yourself.
 */
#ifndef KTLB_CFG_ARM64_CNP
#define KTLB_CFG_ARM64_CNP 0
#endif
#if KTLB_CFG_ARM64_CNP != 0 && KTLB_CFG_ARM64_CNP != 1
#error "KTLB_CFG_ARM64_CNP must be 0 or 1"
#endif

/*
 * 1: a space has two ids, one for the kernel's mode and one for the user's, as kernels need it whose
 * user mode runs under a table without the kernel (page-table isolation). The kernel's entries are not
 * global then. arm64: ASIDs in pairs, the user's is odd; needs KTLB_CFG_ARM64_ASID_IN_TTBR1. x86-64: two
 * PCIDs a slot; the way out to user mode goes through ktlb_exit_cr3. Price: each invalidation twice, half
 * of the ids; x86-64: each flush of the kernel's half empties everything.
 */
#ifndef KTLB_CFG_SPLIT_IDS
#define KTLB_CFG_SPLIT_IDS 0
#endif
#if KTLB_CFG_SPLIT_IDS != 0 && KTLB_CFG_SPLIT_IDS != 1
#error "KTLB_CFG_SPLIT_IDS must be 0 or 1"
#endif

/*
 * arm64. 1: a flush of a space that has run on one CPU alone, by that CPU, is not broadcast. Price: a
 * load and a comparison in every switch, and interrupts off during such a flush; a space that has once
 * run elsewhere is broadcast for ever. Not together with KTLB_CFG_ARM64_CNP.
 */
#ifndef KTLB_CFG_ARM64_LOCAL
#define KTLB_CFG_ARM64_LOCAL 0
#endif
#if KTLB_CFG_ARM64_LOCAL != 0 && KTLB_CFG_ARM64_LOCAL != 1
#error "KTLB_CFG_ARM64_LOCAL must be 0 or 1"
#endif
#if KTLB_CFG_ARM64_LOCAL && KTLB_CFG_ARM64_CNP
#error "KTLB_CFG_ARM64_LOCAL and KTLB_CFG_ARM64_CNP: who shares entries cannot drop them alone"
#endif

/*
 * O4, x86-64. 1: a switch to or from the kernel's own page table touches no CPU mask. 0: it sets and
 * clears a bit in the kernel's mask, as before the change.
 */
#ifndef KTLB_CFG_OPT_KERNEL_NO_MASK
#define KTLB_CFG_OPT_KERNEL_NO_MASK 1
#endif
#if KTLB_CFG_OPT_KERNEL_NO_MASK != 0 && KTLB_CFG_OPT_KERNEL_NO_MASK != 1
#error "KTLB_CFG_OPT_KERNEL_NO_MASK must be 0 or 1"
#endif

/*
 * O5, x86-64. 1: a CPU that has done what a request asks for answers without reading the space's
 * generation. 0: the handler reads the generation first, as before the change.
 */
#ifndef KTLB_CFG_OPT_EARLY_OUT
#define KTLB_CFG_OPT_EARLY_OUT 1
#endif
#if KTLB_CFG_OPT_EARLY_OUT != 0 && KTLB_CFG_OPT_EARLY_OUT != 1
#error "KTLB_CFG_OPT_EARLY_OUT must be 0 or 1"
#endif

/* x86-64. 1: ktlb_enter_lazy keeps the space loaded. 0: it loads the kernel's page table. */
#ifndef KTLB_CFG_OPT_LAZY
#define KTLB_CFG_OPT_LAZY 1
#endif
#if KTLB_CFG_OPT_LAZY != 0 && KTLB_CFG_OPT_LAZY != 1
#error "KTLB_CFG_OPT_LAZY must be 0 or 1"
#endif

/*
 * x86-64. 1: a CPU stays in the mask of a space that it has left, and is filtered by whoever flushes.
 * 0: it leaves the mask when it leaves the space.
 */
#ifndef KTLB_CFG_OPT_KEEP_MASK_BIT
#define KTLB_CFG_OPT_KEEP_MASK_BIT 1
#endif
#if KTLB_CFG_OPT_KEEP_MASK_BIT != 0 && KTLB_CFG_OPT_KEEP_MASK_BIT != 1
#error "KTLB_CFG_OPT_KEEP_MASK_BIT must be 0 or 1"
#endif

/*
 * 1: whatever else walks the page tables and caches translations, such as an IOMMU, is told of each
 * flush by ktlb_port_secondary. 0: nothing else does.
 */
#ifndef KTLB_CFG_SECONDARY
#define KTLB_CFG_SECONDARY 0
#endif
#if KTLB_CFG_SECONDARY != 0 && KTLB_CFG_SECONDARY != 1
#error "KTLB_CFG_SECONDARY must be 0 or 1"
#endif

/*
 * 1: every call checks its caller's context and arguments and ends in ktlb_port_fail with a
 * sentence when they are wrong. 0: only the checks off the hot paths remain. Price in instructions
 * (gcc 12, -O2, KTLB_CFG_COUNT=0; both builds counted by the plugin of `make demo`; the flush is
 * ktlb_flush_range of 1 to 512 pages of a space that this CPU alone runs):
 *                  switch hit   same space   enter lazy      flush
 *   arm64                   2            2            5   13 to 15
 *   x86-64                 10            8            6         18
 */
#ifndef KTLB_CFG_CHECK
#define KTLB_CFG_CHECK 1
#endif
#if KTLB_CFG_CHECK != 0 && KTLB_CFG_CHECK != 1
#error "KTLB_CFG_CHECK must be 0 or 1"
#endif

/* 1: the kernel supplies a clock, ktlb_port_clock in ktlb/port.h. ktlb_calibrate is there then. */
#ifndef KTLB_CFG_CLOCK
#define KTLB_CFG_CLOCK 0
#endif
#if KTLB_CFG_CLOCK != 0 && KTLB_CFG_CLOCK != 1
#error "KTLB_CFG_CLOCK must be 0 or 1"
#endif

/* 1: events are counted per CPU, see ktlb_stats_add. 0: they are not, and all counts read 0. */
#ifndef KTLB_CFG_COUNT
#define KTLB_CFG_COUNT 1
#endif
#if KTLB_CFG_COUNT != 0 && KTLB_CFG_COUNT != 1
#error "KTLB_CFG_COUNT must be 0 or 1"
#endif

/*
 * x86-64. 1: a wait for another CPU that lasts longer than ktlb_config.watchdog is reported by
 * ktlb_port_stuck, once in that time, and the CPU interrupted again. Needs KTLB_CFG_CLOCK. 0: it waits,
 * silently. Price: a call of ktlb_port_clock for each look at an answer that has not come. arm64 waits
 * for no CPU, so there it changes nothing.
 */
#ifndef KTLB_CFG_WATCHDOG
#define KTLB_CFG_WATCHDOG 0
#endif
#if (KTLB_CFG_WATCHDOG != 0 && KTLB_CFG_WATCHDOG != 1) || (KTLB_CFG_WATCHDOG && !KTLB_CFG_CLOCK)
#error "KTLB_CFG_WATCHDOG must be 0 or, with KTLB_CFG_CLOCK, 1"
#endif

/*
 * 1: every event that can be counted is also handed to ktlb_port_trace, an inline function of
 * KTLB_PORT_FILE, with what it concerns; with KTLB_CFG_COUNT == 0, too. 0: not one instruction.
 */
#ifndef KTLB_CFG_TRACE
#define KTLB_CFG_TRACE 0
#endif
#if KTLB_CFG_TRACE != 0 && KTLB_CFG_TRACE != 1
#error "KTLB_CFG_TRACE must be 0 or 1"
#endif

/*
 * What two CPUs must not share by accident, in bytes; Apple's cores want 128. A plain number, as
 * above.
 */
#ifndef KTLB_CFG_CACHE_LINE
#define KTLB_CFG_CACHE_LINE 64
#endif
#if KTLB_CFG_CACHE_LINE != 64 && KTLB_CFG_CACHE_LINE != 128 && KTLB_CFG_CACHE_LINE != 256
#error "KTLB_CFG_CACHE_LINE must be 64, 128 or 256"
#endif

#endif /* KTLB_CONFIG_H */
