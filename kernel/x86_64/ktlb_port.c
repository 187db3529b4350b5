/* SPDX-License-Identifier: 0BSD */
/*
 * ktlb's port to this kernel: the file to copy. The licence asks for nothing, not even a notice.
 *
 * ktlb wants four functions. Here they are, and after them the two calls that start it, each with
 * what must have happened before. The rest of the kernel calls
 *
 *   ktlb_switch, ktlb_enter_lazy            at each switch of threads               (sched.c)
 *   ktlb_space_init, ktlb_space_destroy     with each page table                    (vm.c)
 *   ktlb_gather_*, ktlb_flush_kernel_range  around and after changes of one         (vm.c)
 *   ktlb_need_flush, ktlb_publish           when entries allow more or less         (vm.c)
 *   ktlb_fix_spurious                       at a fault that no entry explains       (vm.c)
 *   ktlb_poll, ktlb_relax                   in each loop that waits                 (kernel.h)
 *   ktlb_handle_ipi                         from the interrupt of duty 4            (machine.c)
 *
 * In user mode the GS base is the user's: SWAPGS at each entry from there and on each way back
 * (trap.S).
 */
#include <arch.h>

#include "machine.h"

/* How often a CPU that does not answer is reported. An emulator's may be kept waiting for as long. */
#define STUCK_REPORTS_PER_SECOND 2

/* ---- the four duties --------------------------------------------------------------------------*/

/*
 * The kernel has broken ktlb's contract, and the sentence says how. ktlb's own lock may be held
 * and any interrupt state is possible, so nothing here may sleep, allocate, or call ktlb; going on
 * would mean to run with stale translations.
 */
void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	panic("%s (got 0x%lx, want 0x%lx)", sentence, got, want);
}

/* Masks this CPU's interrupts; what is returned brings the former state back. RFLAGS.IF. */
uint64_t ktlb_port_irq_save(void)
{
	return arch_irq_save();
}

void ktlb_port_irq_restore(uint64_t saved)
{
	arch_irq_restore(saved);
}

/*
 * Interrupts each CPU of the set, with a vector of ktlb's own: its handler calls ktlb_handle_ipi,
 * interrupts off, and then ends the interrupt. What ktlb stored before must be visible to that
 * handler, which an x2APIC does not promise by itself: machine.c has the fences. Never this CPU.
 */
void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus)
{
	uint32_t cpu;

	ktlb_cpuset_for_each(cpu, cpus) machine_send(cpu, VECTOR_KTLB);
}

/* ---- with KTLB_CFG_WATCHDOG -------------------------------------------------------------------*/

#if KTLB_CFG_WATCHDOG
uint32_t port_stuck_reports;

/* Says it and goes on: the kernel's own watchdog ends the run if the CPU stays silent. */
void ktlb_port_stuck(const struct ktlb_stuck *stuck)
{
	kprintf("# ktlb: CPU %u does not answer CPU %u since %lu ms: %s, runs %s; asked for %lu pages "
	        "from %lx of %s\n",
	        stuck->cpu, stuck->from, (stuck->now - stuck->since) * 1000 / arch_clock_hz(),
	        stuck->queued ? "has not looked" : "is at it",
	        stuck->switching ? "between two spaces"
	        : stuck->loaded  ? (stuck->lazy ? "a space, lazily" : "a space")
	                         : "no space",
	        stuck->pages, stuck->va, stuck->space ? "a space" : "the kernel");
	ktlb_add_relaxed(&port_stuck_reports, 1);
}
#endif

/* For what ktlb has to say in lines. */
static void print_line(void *arg, const char *line)
{
	(void)arg;
	kprintf("# %s\n", line);
}

#if KTLB_CFG_CLOCK
/* Not a duty, unless the option says so: any clock that never goes back. */
uint64_t ktlb_port_clock(void)
{
	return arch_clock();
}
#endif

/* ---- the start --------------------------------------------------------------------------------*/

/*
 * Once, on the boot CPU, before any ktlb_cpu_online.
 *
 * Before it: the kernel's final page table is loaded, with CR4.PGE set if its entries are global;
 * all CPUs have been counted. That table is what a CPU runs under while it has no user space; its
 * user half is empty, its kernel half the same as in every space.
 */
void port_start_ktlb(void)
{
	const struct ktlb_identity cpus = machine_identity(); /* all are alike here */
	struct ktlb_config config = {
		.cpus = cpu_count,
		.id_limit = (uint32_t)options.ids, /* must be 0 here */
		.kernel_root = arch_empty_root(),
		.full_flush_strides = (uint32_t)options.full, /* 0: the default */
		.errata = ktlb_errata(&cpus, 1),
		.without_errata = options.noerrata ? KTLB_ERRATUM_ALL : 0,
		.watchdog = arch_clock_hz() / STUCK_REPORTS_PER_SECOND,
		.without = (options.nopcid ? KTLB_FEATURE_PCID : 0) |
	                   (options.noinvpcid ? KTLB_FEATURE_INVPCID : 0) |
	                   (options.noglobal ? KTLB_FEATURE_GLOBAL_PAGES : 0),
	};

	ktlb_init(&config);
	ktlb_errata_print(&cpus, 1, print_line, NULL);
}

/*
 * On each CPU, the boot CPU too, before anything reads a per-CPU variable other than the running
 * thread and before the first user space; interrupts off.
 *
 * Before it: the GS base is 0, and this CPU's copy of the per-CPU section exists. The state that is
 * handed over is the copy of ktlb_percpu in it, still zeroed; from where it lies ktlb computes what
 * it puts into the GS base, and ktlb_this_cpu() works from then on. From then on, too, other CPUs
 * may interrupt this one and wait for it: it must poll, or have interrupts on, before long.
 */
void port_start_ktlb_cpu(uint32_t cpu)
{
	ktlb_cpu_online(cpu, percpu_of(cpu, ktlb_percpu));
}
