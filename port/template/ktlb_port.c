/* SPDX-License-Identifier: 0BSD */
/*
 * An empty port: copy it into your kernel, and put your own code where the comments say what it must
 * do. It compiles as it is, and is wrong until you have been through all of it: each duty ends in
 * the trap at the bottom, so that none can be forgotten in silence.
 *
 * The contracts are in <ktlb/port.h>; a port at work is the sample kernel's, kernel/arm64/ktlb_port.c.
 */
#include <ktlb/ktlb.h>
#include <ktlb/port.h>

/* Stops for ever: where a duty has not been filled in. */
__attribute__((noreturn)) static void not_ported(void)
{
	for (;;)
		__builtin_trap();
}

/*
 * Print `sentence`, `got` and `want`, stop the other CPUs if you can, and never return. Whoever made
 * the wrong call is on the stack: a backtrace is worth printing. Do not take a lock that the caller
 * may hold.
 *
 * Example:  panic("ktlb: %s (%#lx, %#lx)", sentence, got, want);
 */
void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	(void)sentence;
	(void)got;
	(void)want;
	not_ported();
}

/*
 * Mask interrupts on this CPU; return what restores the former state. Called from any context, and
 * nested.
 *
 * Example, arm64:   mrs daif; msr daifset, #2; return daif
 */
uint64_t ktlb_port_irq_save(void)
{
	not_ported();
}

/* Example, arm64:   msr daif, saved */
void ktlb_port_irq_restore(uint64_t saved)
{
	(void)saved;
	not_ported();
}

#if KTLB_CFG_CLOCK
/*
 * A clock that never goes back, in any unit.
 *
 * Example, arm64:   mrs cntvct_el0        x86-64:   rdtsc, if the TSC is invariant
 */
uint64_t ktlb_port_clock(void)
{
	not_ported();
}
#endif

#if KTLB_CFG_SECONDARY
/*
 * Invalidate what an IOMMU that walks the tables of `space` (null: the kernel's half) has cached of
 * [start, start + size), no size meaning everything, and wait for it. Without KTLB_LEAF_ONLY in `flags`
 * tables may be gone, too.
 *
 * Example:  iommu_invalidate(domain_of(space), start, size, flags & KTLB_LEAF_ONLY); iommu_sync();
 */
void ktlb_port_secondary(struct ktlb_space *space, uint64_t start, uint64_t size, uint32_t flags)
{
	(void)space;
	(void)start;
	(void)size;
	(void)flags;
	not_ported();
}
#endif

#if KTLB_ARCH_INTERRUPTS
/*
 * x86-64: interrupt each CPU of the set, with a vector whose handler calls ktlb_handle_ipi and then
 * ends the interrupt. Stores made before must be visible to it: on an x2APIC, MFENCE and LFENCE first.
 *
 * Example:  ktlb_cpuset_for_each (cpu, cpus) apic_send(apic_id_of[cpu], KTLB_VECTOR);
 */
void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus)
{
	(void)cpus;
	not_ported();
}

#if KTLB_CFG_WATCHDOG
/*
 * Print which CPU does not answer, what it has loaded, and what it was asked; then return, or stop.
 *
 * Example:  printk("CPU %u has not answered CPU %u for %lu\n", stuck->cpu, stuck->from,
 *                  stuck->now - stuck->since);
 */
void ktlb_port_stuck(const struct ktlb_stuck *stuck)
{
	(void)stuck;
	not_ported();
}
#endif
#endif
