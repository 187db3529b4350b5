/* SPDX-License-Identifier: MIT */
/*
 * Wrong use of ktlb, and what comes of it. Each must be found: that shows that the machine does what the contract
 * warns of, and that the oracle sees it.
 */
#include "world.h"

static struct spinlock lock;

static void user_forever(void *unused)
{
	(void)unused;
	use(6);
}

/* ---- a spinner that does not poll -------------------------------------------------------------*/

static void change_locked(void *unused)
{
	(void)unused;
	sim_leave_user();
	spin_lock(&lock, 1);
	change(&world_space[0], 0, CHANGE_LEAF);
	spin_unlock(&lock);
}

static void spin_deaf(void *unused)
{
	uint64_t saved;

	(void)unused;
	use(1);
	sim_leave_user();
	saved = sim_irq_save();
	spin_lock(&lock, 0);
	spin_unlock(&lock);
	sim_irq_restore(saved);
}

static void deaf(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_locked, 0);
	sim_thread("spinner", 1, 2, &world_space[0].ktlb, spin_deaf, 0);
}

SCENARIO(misuse_no_poll) = {
	.name = "misuse-no-poll",
	.text = "wrong use: a CPU spins with interrupts off, without polling, for a flusher's lock",
	.arches = FOR_X86_64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = deaf,
	.expects = "endless-wait",
};

/* ---- KTLB_LEAF_ONLY although a table goes -----------------------------------------------------*/

static void free_hastily(void *unused)
{
	(void)unused;
	use(1);
	sim_leave_user();
	unlink_table(&world_space[0], 0);
	flush_page(&world_space[0], 0, 0, KTLB_LEAF_ONLY);
	free_table(&world_space[0], 0);
}

static void hasty(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	world_lazy(1, &world_space[0]);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, free_hastily, 0);
	sim_thread("user", 2, 4, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(misuse_leaf_only) = {
	.name = "misuse-leaf-only",
	.text = "wrong use: a table is freed after a flush with KTLB_LEAF_ONLY",
	.arches = FOR_ARM64 | (KTLB_CFG_OPT_LAZY ? FOR_X86_64 : 0),
	.cpus = 3,
	.small = 1,
	.variants = 1,
	.setup = hasty,
	.expects = "freed-table-walk",
};

/* ---- a page is used again before its flush ----------------------------------------------------*/

static void flush_late(void *unused)
{
	(void)unused;
	use(1);
	sim_leave_user();
	map_page(&world_space[0], 0, 0);
	flush_page(&world_space[0], 0, 0, 0);
}

static void late(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	sim_thread("mapper", 0, 1, &world_space[0].ktlb, flush_late, 0);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(misuse_no_break) = {
	.name = "misuse-no-break",
	.text = "wrong use: an entry is replaced by another one without break-before-make",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = late,
	.expects = "break-before-make",
};

/* On x86-64 the same is right: until the flush returns either may be used. */
SCENARIO(replace) = {
	.name = "replace",
	.text = "an entry is replaced by another one and flushed",
	.arches = FOR_X86_64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = late,
	.reach = {"stale-entry-alive"},
};
