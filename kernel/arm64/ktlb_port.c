/* SPDX-License-Identifier: 0BSD */
/*
 * ktlb's port to this kernel: the file to copy. The licence asks for nothing, not even a notice.
 *
 * ktlb wants three functions. Here they are, and after them the two calls that start it, each with
 * what must have happened before. The rest of the kernel calls
 *
 *   ktlb_switch, ktlb_enter_lazy            at each switch of threads               (sched.c)
 *   ktlb_space_init, ktlb_space_destroy     with each page table                    (vm.c)
 *   ktlb_gather_*, ktlb_flush_kernel_range  around and after changes of one         (vm.c)
 *   ktlb_need_flush, ktlb_publish           when entries allow more or less         (vm.c)
 *   ktlb_fix_spurious                       at a fault that no entry explains       (vm.c)
 *   ktlb_poll, ktlb_relax                   in each loop that waits                 (kernel.h)
 *
 * and the thread descriptor has a struct ktlb_thread at KTLB_CFG_THREAD_OFFSET, whose `cpu` the
 * scheduler writes before the thread runs on that CPU.
 */
#include <arch.h>

#include "trap.h"

/* ---- the three duties -------------------------------------------------------------------------*/

/*
 * The kernel has broken ktlb's contract, and the sentence says how. ktlb's own lock may be held
 * and any interrupt state is possible, so nothing here may sleep, allocate, or call ktlb; going on
 * would mean to run with stale translations.
 */
void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	panic("%s (got 0x%lx, want 0x%lx)", sentence, got, want);
}

/* Masks this CPU's interrupts; what is returned brings the former state back. On arm64: DAIF. */
uint64_t ktlb_port_irq_save(void)
{
	return arch_irq_save();
}

void ktlb_port_irq_restore(uint64_t saved)
{
	arch_irq_restore(saved);
}

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
 * Before it: the MMU is on, under the TCR_EL1 that every CPU will use for good; all CPUs have been
 * counted; the empty table exists. That is a table's page of zeroes, for ever zeroes: what TTBR0
 * points to while a CPU has no user space.
 */
void port_start_ktlb(void)
{
	const struct ktlb_identity cpus = {.id = sysreg_read(midr_el1)}; /* all are alike here */
	struct ktlb_config config = {
		.cpus = cpu_count,
		.id_limit = (uint32_t)options.ids, /* 0: all that the hardware has */
		.kernel_root = arch_empty_root(),
		.full_flush_strides = (uint32_t)options.full, /* 0: the default */
		.errata = ktlb_errata(&cpus, 1) | (options.repeat ? KTLB_ERRATUM_REPEAT_TLBI : 0),
		.without_errata = options.noerrata ? KTLB_ERRATUM_ALL : 0,
		.without = (options.norange ? KTLB_FEATURE_TLBI_RANGE : 0) |
	                   (options.nottl ? KTLB_FEATURE_TTL : 0),
	};

	ktlb_init(&config);
	ktlb_errata_print(&cpus, 1, print_line, NULL);
}

/*
 * On each CPU, the boot CPU too, before anything reads a per-CPU variable and before the first
 * user space; interrupts off.
 *
 * Before it: the thread that runs is known to ktlb_cpu_id() (SP_EL0 points to its descriptor, with
 * the CPU's number in it), and this CPU's copy of the per-CPU section exists. The state that is
 * handed over is the copy of ktlb_percpu in it, still zeroes; from where it lies ktlb computes
 * what it puts into TPIDR_EL1, and ktlb_this_cpu() works from then on.
 */
void port_start_ktlb_cpu(uint32_t cpu)
{
	ktlb_cpu_online(cpu, percpu_of(cpu, ktlb_percpu));
}
