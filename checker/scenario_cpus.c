/* SPDX-License-Identifier: MIT */
/*
 * CPUs that go offline and come back, against whatever may choose them as targets at that moment: flushes,
 * the end of a space that the CPU has loaded lazily, flushes of the kernel's half, rollovers.
 *
 * A CPU that is offline here has interrupts off and does nothing; its TLB keeps what it has, and nothing is
 * promised of it. Whether others wait for it is what the run shows: one that does never ends.
 */
#include <ktlb/port.h>

#include "oracle.h"
#include "world.h"

static void offline(void)
{
	sim_leave_user();
	sim_irq_save();
	sim_thread_set_space(0);
	sim_cur->starting = 1; /* from here on it uses nothing of the kernel's half that changes */
	ktlb_cpu_offline();
}

static void online_again(void)
{
	uint32_t cpu = sim_cur->number;

	ktlb_cpu_online(cpu, &world_cpu[cpu]);
	sim_cur->starting = 0;
	oracle_online(cpu);
	sim_irq_restore(0);
}

static void go_and_come_back(void *unused)
{
	(void)unused;
	use(1);
	offline();
	sim_point();
	online_again();
	enter(&world_space[0]);
	use(2);
}

static void change_by_variant(void *how)
{
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	change(&world_space[0], 0, CHANGE_LEAF);
	use(1);
}

static void flush_offline(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("goer", 1, 2, &world_space[0].ktlb, go_and_come_back, 0);
}

SCENARIO(cpu_offline) = {
	.name = "cpu-offline",
	.text = "flushes of a space against a CPU that runs it, goes offline, and comes back",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = flush_offline,
	.reach = {"stale-entry-alive"},
};

/* ---- the end of a space that the CPU has lazily ------------------------------------------------*/

static void go_lazily(void *unused)
{
	(void)unused;
	offline();
	sim_point();
	online_again();
	enter(&world_space[1]);
	use(1);
}

static void destroy_it(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	destroy(&world_space[0]);
	create_again(&world_space[0], 1, 2);
	enter(&world_space[0]);
	use(1);
}

static void destroy_offline(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	world_lazy(1, &world_space[0]);
	if (variant)
		world_lazy(1, &world_space[1]); /* then the first is one that it ran before */
	sim_thread("reaper", 0, 1, &world_space[0].ktlb, destroy_it, 0);
	sim_thread("goer", 1, 2, 0, go_lazily, 0);
}

SCENARIO(cpu_offline_destroy) = {
	.name = "cpu-offline-destroy",
	.text = "a space ends while an idle CPU that has its root goes offline",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2,
	.setup = destroy_offline,
};

/* The last user of the space goes offline from it, and tells: then it ends. */
static struct sim_thread *reaper;

static void go_and_tell(void *unused)
{
	(void)unused;
	use(1);
	offline();
	sim_wake(reaper);
	sim_point();
	online_again();
	enter(&world_space[1]);
	use(1);
}

static void reap(void *unused)
{
	(void)unused;
	sim_sleep();
	destroy(&world_space[0]);
	create_again(&world_space[0], 1, 2);
	enter(&world_space[0]);
	use(1);
}

static void offline_reap(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	reaper = sim_thread("reaper", 0, 1, &world_space[1].ktlb, reap, 0);
	sim_thread("last user", 1, 2, &world_space[0].ktlb, go_and_tell, 0);
}

SCENARIO(cpu_offline_reap) = {
	.name = "cpu-offline-reap",
	.text = "a space ends when the CPU that ran it has gone offline",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = offline_reap,
};

/* ---- the kernel's half, tables, and a third CPU -------------------------------------------------*/

static void tables_and_kernel(void *how)
{
	use(1);
	change(&world_space[0], 0, CHANGE_TABLE);
	change_kernel(0, (enum kernel_change)(uintptr_t)how);
	use(1);
}

static void flush_too(void *unused)
{
	(void)unused;
	use(1);
	change(&world_space[0], 1, CHANGE_LEAF);
	use(1);
}

static void two_flush_offline(enum kernel_change how)
{
	world_add_space(0, 2, 1);
	sim_thread("flusher 0", 0, 1, &world_space[0].ktlb, tables_and_kernel,
	           (void *)(uintptr_t)how);
	sim_thread("goer", 1, 2, &world_space[0].ktlb, go_and_come_back, 0);
	sim_thread("flusher 2", 2, 4, &world_space[0].ktlb, flush_too, 0);
}

static void kernel_leaf(unsigned variant)
{
	(void)variant;
	two_flush_offline(KERNEL_LEAF);
}

SCENARIO(cpu_offline_kernel) = {
	.name = "cpu-offline-kernel",
	.text = "tables of a space and leaves of the kernel's half change, by two CPUs, while a third "
		"goes and comes back",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = 1,
	.setup = kernel_leaf,
};

/* What ktlb.h forbids where CPUs are interrupted: its walker may look ahead until it is halted. */
static void kernel_table(unsigned variant)
{
	(void)variant;
	two_flush_offline(KERNEL_TABLE);
}

SCENARIO(cpu_offline_kernel_table) = {
	.name = "misuse-offline-kernel-table",
	.text = "a table of the kernel's half is freed while a CPU that goes offline is not halted yet",
	.arches = FOR_X86_64,
	.cpus = 3,
	.variants = 1,
	.setup = kernel_table,
	.expects = "freed-table-walk",
};

/* ---- rollovers --------------------------------------------------------------------------------*/

static void run_many(void *unused)
{
	(void)unused;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i < 6; i++) {
			enter(&world_space[i]);
			use(1);
		}
}

static void few_ids(unsigned variant)
{
	(void)variant;
	if (!KTLB_ARCH_INTERRUPTS)
		world_id_limit = 4; /* two CPUs, and two more */
}

static void rollover_offline(unsigned variant)
{
	(void)variant;
	for (uint32_t i = 0; i < 6; i++)
		world_add_space(i, 1, 1);
	sim_thread("runner", 0, 1, &world_space[1].ktlb, run_many, 0);
	sim_thread("goer", 1, 2, &world_space[0].ktlb, go_and_come_back, 0);
}

SCENARIO(cpu_offline_rollover) = {
	.name = "cpu-offline-rollover",
	.text = "ids are used up, or slots, while a CPU goes offline and comes back",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.before = few_ids,
	.variants = 1,
	.setup = rollover_offline,
};
