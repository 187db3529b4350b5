/* SPDX-License-Identifier: MIT */
/* The kernel's half against everything else. */
#include "world.h"

static void change_by_variant(void *variant)
{
	use(1);
	change_kernel(0, (enum kernel_change)(uintptr_t)variant);
	use(1);
}

static void change_kernel_1(void *unused)
{
	(void)unused;
	use(1);
	change_kernel(1, KERNEL_LEAF);
	change(&world_space[0], 0, CHANGE_LEAF);
	use(1);
}

static void wander(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(1);
	enter(0);
	enter(&world_space[0]);
	use(1);
}

static void kernel_flush(unsigned variant)
{
	world_add_space(0, 1, 1);
	world_add_space(1, 1, 1);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("wanderer", 1, 2, &world_space[0].ktlb, wander, 0);
}

SCENARIO(kernel_flush) = {
	.name = "kernel-flush",
	.text = "a flush of the kernel's half against a CPU that switches and goes lazy",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = KERNEL_CHANGES,
	.setup = kernel_flush,
	.reach = {"stale-entry-alive"},
};

static void kernel_two(unsigned variant)
{
	world_add_space(0, 1, 1);
	world_add_space(1, 1, 1);
	sim_thread("flusher 0", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("flusher 1", 1, 2, &world_space[0].ktlb, change_kernel_1,
	           (void *)(uintptr_t)variant);
	sim_thread("wanderer", 2, 4, &world_space[1].ktlb, wander, 0);
}

SCENARIO(kernel_two) = {
	.name = "kernel-two-flushers",
	.text = "flushes of the kernel's half and of a space, by two CPUs, against a third",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = KERNEL_CHANGES,
	.setup = kernel_two,
	.reach = {"stale-entry-alive"},
};
