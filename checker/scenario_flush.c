/* SPDX-License-Identifier: MIT */
/*
 * Flushes against those who use the space, and against other flushes. A variant is an enum change, so that
 * each scenario has one in which tables are freed.
 */
#include "world.h"

static struct spinlock lock;

static void user_forever(void *unused)
{
	(void)unused;
	use(6);
}

static void change_by_variant(void *how)
{
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
}

/* ---- flush against access ---------------------------------------------------------------------*/

static void flush_access(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(flush_access) = {
	.name = "flush-access",
	.text = "a flush against a CPU that uses the space",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = flush_access,
	.reach = {"stale-entry-alive"},
};

/* Two changes in a row: the second request finds a handler that is on its way. */
static void change_twice(void *how)
{
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	change(&world_space[0], 0, CHANGE_LEAF);
	use(1);
}

static void flush_again(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_twice, (void *)(uintptr_t)variant);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(flush_again) = {
	.name = "flush-again",
	.text = "two flushes in a row of what another CPU uses",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = flush_again,
	.reach = {"stale-entry-alive"},
};

/* ---- a request without a number ---------------------------------------------------------------*/

#if KTLB_ARCH_INTERRUPTS
/*
 * The seam below ktlb.h: a request that belongs to no change of the generation is a full flush, whatever the
 * CPU has done before. (A destroy sends such ones; here the space lives, so that somebody would notice.)
 */
static void change_unnumbered(void *unused)
{
	(void)unused;
	unmap_page(&world_space[0], 0, 0);
	flush_unnumbered(&world_space[0]);
	use(1);
}

static void unnumbered(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_unnumbered, 0);
	sim_thread("user", 1, 2, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(flush_unnumbered) = {
	.name = "flush-unnumbered",
	.text = "a request without a number is a full flush, whatever was flushed before",
	.arches = FOR_X86_64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = unnumbered,
	.reach = {"stale-entry-alive"},
};
#endif

/* ---- two initiators ---------------------------------------------------------------------------*/

static void change_slot_1(void *how)
{
	use(1);
	change(&world_space[0], 1, (enum change)(uintptr_t)how);
	use(1);
}

/* Page tables of one space are changed under a lock; flushes are not. Here each has its slot. */
static void two_flushers(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_thread("flusher 0", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("flusher 1", 1, 2, &world_space[0].ktlb, change_slot_1,
	           (void *)(uintptr_t)CHANGE_LEAF);
}

SCENARIO(two_flushers) = {
	.name = "two-flushers",
	.text = "two CPUs flush the space that both run",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = two_flushers,
	.reach = {"stale-entry-alive"},
};

static void two_flushers_user(unsigned variant)
{
	two_flushers(variant);
	sim_thread("user", 2, 4, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(two_flushers_user) = {
	.name = "two-flushers-one-user",
	.text = "two CPUs flush the space that three run: requests meet in one handler",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = CHANGES,
	.setup = two_flushers_user,
	.reach = {"stale-entry-alive"},
};

static void change_masked(void *slot)
{
	uint64_t saved;

	use(1);
	sim_leave_user();
	saved = sim_irq_save();
	change(&world_space[0], (unsigned)(uintptr_t)slot, CHANGE_LEAF);
	change(&world_space[0], (unsigned)(uintptr_t)slot, CHANGE_TABLE);
	sim_irq_restore(saved);
	use(1);
}

static void two_masked(unsigned variant)
{
	(void)variant;
	world_add_space(0, 2, 2);
	sim_thread("flusher 0", 0, 1, &world_space[0].ktlb, change_masked, (void *)0);
	sim_thread("flusher 1", 1, 2, &world_space[0].ktlb, change_masked, (void *)1);
}

SCENARIO(two_masked) = {
	.name = "two-flushers-masked",
	.text = "two CPUs flush with interrupts off: each must serve the other while it waits",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = two_masked,
	.reach = {"stale-entry-alive"},
};

static void change_other(void *how)
{
	use(1);
	change(&world_space[1], 0, (enum change)(uintptr_t)how);
	use(1);
}

/* Each flushes its own space, which the other one had before, and a third CPU changes between them. */
static void change_over(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(1);
	enter(&world_space[0]);
	use(1);
}

static void two_spaces(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 2);
	sim_thread("flusher 0", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("flusher 1", 1, 2, &world_space[1].ktlb, change_other,
	           (void *)(uintptr_t)variant);
	sim_thread("visitor", 2, 4, &world_space[0].ktlb, change_over, 0);
}

SCENARIO(two_spaces) = {
	.name = "two-spaces",
	.text = "two CPUs flush two spaces, a third switches between them",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = CHANGES,
	.setup = two_spaces,
	.reach = {"stale-entry-alive", "switch_hit"},
};

/* ---- what a page is used for ------------------------------------------------------------------*/

/*
 * A page is written through its old entry, and given to somebody else once the flush has returned. Both
 * are plain accesses: if the flush did not order them they race.
 */

static void write_and_go(void *how)
{
	use(1);
	if (may_use_old_entry(&world_space[0], 0, 0))
		world_frame = 1;
	if (how) {
		enter(&world_space[1]);
		use(1);
		enter(0);
	} else {
		enter(0);
		enter(&world_space[0]);
	}
	use(1);
}

static void give_away(void *unused)
{
	(void)unused;
	change(&world_space[0], 0, CHANGE_LEAF);
	world_frame = 2;
}

static void frame_reuse(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, give_away, 0);
	sim_thread("user", 1, 2, &world_space[0].ktlb, write_and_go, (void *)(uintptr_t)variant);
}

SCENARIO(frame_reuse) = {
	.name = "frame-reuse",
	.text = "a page is given to somebody else after its flush, which a CPU has just written to",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2,
	.setup = frame_reuse,
	.reach = {"stale-entry-alive", "enter_lazy"},
};

/* ---- who waits for whom -----------------------------------------------------------------------*/

static void change_locked(void *how)
{
	sim_leave_user();
	spin_lock(&lock, 1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	spin_unlock(&lock);
	use(1);
}

static void spin_masked(void *unused)
{
	uint64_t saved;

	(void)unused;
	use(1);
	sim_leave_user();
	saved = sim_irq_save();
	spin_lock(&lock, 1);
	spin_unlock(&lock);
	sim_irq_restore(saved);
	use(1);
}

static void holder_waits(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_locked,
	           (void *)(uintptr_t)variant);
	sim_thread("spinner", 1, 2, &world_space[0].ktlb, spin_masked, 0);
}

SCENARIO(holder_waits) = {
	.name = "holder-waits",
	.text = "a flush under a lock for which another CPU spins with interrupts off, polling",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = holder_waits,
	.reach = {"stale-entry-alive"},
};

/* ---- the flusher is moved ---------------------------------------------------------------------*/

static void change_often(void *how)
{
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	change(&world_space[0], 0, CHANGE_LEAF);
	use(1);
}

static void moved(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_preemption = 1;
	sim_thread("flusher", 0, 7, &world_space[0].ktlb, change_often, (void *)(uintptr_t)variant);
	sim_thread("user", 1, 7, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(moved_flush) = {
	.name = "moved-flush",
	.text = "threads move to other CPUs between any two steps of a flush",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = CHANGES,
	.setup = moved,
	.reach = {"stale-entry-alive", "enter_lazy"},
};

static void two_moved(unsigned variant)
{
	world_add_space(0, 2, 2);
	sim_preemption = 1;
	sim_thread("flusher 0", 0, 3, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("flusher 1", 1, 3, &world_space[0].ktlb, change_slot_1,
	           (void *)(uintptr_t)variant);
	sim_thread("user", 0, 3, &world_space[0].ktlb, user_forever, 0);
}

SCENARIO(two_moved_flushes) = {
	.name = "two-moved-flushes",
	.text = "two flushers and a user share two CPUs and change places",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.variants = CHANGES,
	.setup = two_moved,
	.reach = {"stale-entry-alive"},
};

/* ---- many CPUs --------------------------------------------------------------------------------*/

static void many(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	for (uint32_t cpu = 1; cpu < sim_cpu_count; cpu++)
		sim_thread("user", cpu, (uint64_t)1 << cpu % 64, &world_space[0].ktlb, user_forever,
		           0);
}

SCENARIO(eight_cpus) = {
	.name = "eight-cpus",
	.text = "a flush of what seven other CPUs use",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 8,
	.variants = CHANGES,
	.setup = many,
	.reach = {"stale-entry-alive"},
};

SCENARIO(seventy_cpus) = {
	.name = "seventy-cpus",
	.text = "a flush of what 69 other CPUs use: sets of more than one word",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 70,
	.variants = CHANGES,
	.setup = many,
	.reach = {"stale-entry-alive"},
};
