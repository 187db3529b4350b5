/* SPDX-License-Identifier: MIT */
/*
 * What the kernel supplies: three functions to link, a fourth where other CPUs are told by interrupt
 * (x86-64), a fifth where something else than CPUs has a TLB (KTLB_CFG_SECONDARY), a clock where
 * KTLB_CFG_CLOCK asks for one, a report where KTLB_CFG_WATCHDOG does, and at most two inline ones.
 *
 * No allocator, no lock, no printf, no weak symbol: a duty that is missing is a link error that
 * names it. port/template/ holds an empty port that compiles.
 */
#ifndef KTLB_PORT_H
#define KTLB_PORT_H

#include <stdint.h>

#include <ktlb/config.h>
#include <ktlb/cpuset.h>
#include <ktlb_arch/half.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The caller broke the contract, or ktlb found itself broken. Print and stop; never return.
 *
 * `sentence` is a constant that says which call failed and why. `got` and `want` are the two values
 * that it speaks of, in that order; 0 where there is none.
 *
 * Context: that of the failing call; ktlb's own lock may be held, so call nothing of ktlb.
 */
__attribute__((noreturn)) void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want);

/*
 * Masks the interrupts of this CPU and returns what ktlb_port_irq_restore needs to bring the
 * former state back. Pairs nest.
 *
 * Context: any.  Ordering: none needed.
 */
uint64_t ktlb_port_irq_save(void);
void ktlb_port_irq_restore(uint64_t saved);

#if KTLB_ARCH_INTERRUPTS
/*
 * Interrupts each CPU of the set, never empty, never this one, with the vector whose handler calls
 * ktlb_handle_ipi. Several may become one.
 *
 * Context: interrupts off.
 * Ordering: stores made before it are visible to the handler. xAPIC: nothing to do; x2APIC: MFENCE
 *          and LFENCE before the write of the ICR, which does not serialise (Intel SDM volume 3,
 *          "x2APIC Register Address Space").
 */
void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus);

/*
 * With KTLB_CFG_WATCHDOG == 1: a CPU has not answered for ktlb_config.watchdog, or as long again. Print
 * it. When this returns, the CPU is interrupted again and waited for on; or stop the machine here, if
 * you know that it is dead.
 *
 * The interrupt may be sent again at any time: the handler takes what is in its CPU's queue, and an
 * empty queue is nothing to do.
 *
 * Context: of the flush, with or without interrupts, anybody's lock held: print without waiting.
 */
struct ktlb_space;
struct ktlb_stuck {
	uint64_t since, now; /* ktlb_port_clock at the begin of the wait, and now */
	uint32_t cpu;        /* the silent one */
	uint32_t from;       /* the CPU that asked */
	uint32_t times;      /* 1 for the first report of this wait, then 2 ... */
	/* What the silent CPU says of itself; just now, it may be at work. */
	uint32_t queued; /* there is something in its queue: the handler has not run */
	const struct ktlb_space *loaded; /* null: none; do not follow it, it may be gone */
	uint32_t switching, lazy;
	/* What it was asked: */
	uint32_t spans;                 /* so many ranges of a gather; 0: what follows */
	const struct ktlb_space *space; /* null: the kernel's half */
	uint64_t va, pages;             /* pages == 0: all */
	uint64_t generation, sequence;
};
void ktlb_port_stuck(const struct ktlb_stuck *stuck);
#endif

/*
 * With KTLB_CFG_CLOCK == 1: a clock that never goes back, in any unit, the finer the better; 0 for ever if there is none, and
 * nothing that is measured by it is then known.
 *
 * Context: any.
 */
uint64_t ktlb_port_clock(void);

/*
 * With KTLB_CFG_SECONDARY == 1: the entries of [start, start + size) of this space have changed and are
 * visible; invalidate what else has cached them (an IOMMU that walks the same tables), and return when
 * that is over. `space` is null for the kernel's half. No size: everything of the space. `flags` are
 * those of the flush: without KTLB_LEAF_ONLY tables may have gone. Start and size are the caller's of
 * the flush, or a gather's rounded to leaves. A space that ends is told once more, with no size.
 *
 * Context: that of the flush. It waits for no lock of the kernel that a flush is called with.
 */
struct ktlb_space;
void ktlb_port_secondary(struct ktlb_space *space, uint64_t start, uint64_t size, uint32_t flags);

/*
 * With KTLB_CFG_TRACE == 1 KTLB_PORT_FILE also defines, as a static inline function,
 *
 *   void ktlb_port_trace(const struct ktlb_trace_record *record);
 *
 * It is called at each event, on the CPU where it happens; the reason why something is not done is an
 * event of its own (KTLB_COUNT_SKIP_*, _HANDLED_*). What an event does not have is 0. Put the record into
 * a buffer of the CPU's, with a time of your own, and return: locks of ktlb may be held.
 *
 * Context: that of the event, with or without interrupts. It calls nothing of ktlb.
 */
struct ktlb_trace_record {
	uint32_t event;      /* enum ktlb_counter: ktlb_counter_name says it */
	uint32_t cpu;        /* this CPU; 0 before it is online */
	uint64_t space;      /* ktlb_space_id, as it was at that moment; 0: none, or the kernel */
	uint64_t va, pages;  /* pages == 0: everything */
	uint64_t generation; /* x86-64: the request's, of HANDLED */
};

/*
 * With KTLB_CFG_CPU_ID == KTLB_KERNEL or KTLB_CFG_PERCPU == KTLB_KERNEL, KTLB_PORT_FILE names a
 * header of the kernel (quotes included) that defines, as static inline functions:
 *
 *   uint32_t ktlb_port_cpu_id(void);             the number of this CPU, below KTLB_CFG_MAX_CPUS
 *   struct ktlb_cpu *ktlb_port_this_cpu(void);   what this CPU gave to ktlb_cpu_online
 *
 * each where its option asks for it. ktlb calls them where the thread cannot be moved to another
 * CPU. With KTLB_CFG_COUNT it also calls ktlb_port_this_cpu where it can: an answer that was true
 * a moment ago then costs a count on the wrong CPU's line, and nothing else.
 */
#if KTLB_CFG_CPU_ID == KTLB_KERNEL || KTLB_CFG_PERCPU == KTLB_KERNEL || KTLB_CFG_TRACE
#ifndef KTLB_PORT_FILE
#error "KTLB_CFG_CPU_ID, KTLB_CFG_PERCPU or KTLB_CFG_TRACE: KTLB_PORT_FILE must name your header"
#endif
struct ktlb_cpu;
#endif

#ifdef __cplusplus
}
#endif

#if KTLB_CFG_CPU_ID == KTLB_KERNEL || KTLB_CFG_PERCPU == KTLB_KERNEL || KTLB_CFG_TRACE
#include KTLB_PORT_FILE /* outside of extern "C": it is the kernel's, and may be C++ */
#endif

#endif /* KTLB_PORT_H */
