/* SPDX-License-Identifier: MIT */
/*
 * Ids that are kept through rollovers; and, with KTLB_CFG_ARM64_LOCAL, the moment at which a space that has
 * run on one CPU alone first runs on another one, while the first one changes and flushes it.
 */
#include "world.h"

#if !KTLB_ARCH_INTERRUPTS

/* ---- pins -------------------------------------------------------------------------------------*/

#define SPACES 5

/* 2 CPUs and one number that is kept: with one less the pin is refused. */
static void one_may_be_kept(unsigned variant)
{
	(void)variant;
	world_id_limit = 5;
}

static void tour(void *unused)
{
	(void)unused;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i < SPACES; i++) {
			enter(&world_space[i]);
			use(1);
		}
}

/* Whoever has space 0 flushes it by the number that a device would walk under. */
static void pin_and_change(void *how)
{
	struct ktlb_space *pinned = &world_space[0].ktlb;
	uint32_t number;

	sim_leave_user();
	number = ktlb_ids_pin(pinned, 0);
	if (number == 0 || ktlb_ids_pin(&world_space[1].ktlb, 0) != 0)
		sim_violation("limit", "the limit of pins is not what it should be");
	for (uint32_t i = 1; i < 4; i++) {
		enter(&world_space[i]);
		use(1);
	}
	enter(&world_space[0]);
	use(1);
	if ((ktlb_space_id(pinned) & 0xffff) != number)
		sim_violation("pinned", "a pinned number has changed");
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
	sim_leave_user();
	ktlb_ids_unpin(pinned);
	enter(&world_space[1]);
	use(1);
}

/* Pinned late: the number has been another space's, which has it in its old id. */
static void pin_late(void *how)
{
	struct ktlb_space *pinned = &world_space[SPACES].ktlb;

	for (uint32_t i = 2; i < SPACES; i++) {
		enter(&world_space[i]);
		use(1);
	}
	sim_leave_user();
	if (ktlb_ids_pin(pinned, 0) == 0)
		sim_violation("limit", "the limit of pins is not what it should be");
	enter(&world_space[SPACES]);
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	for (uint32_t i = 0; i < SPACES; i++) {
		enter(&world_space[i]);
		use(1);
	}
}

static void pins(unsigned variant)
{
	for (uint32_t i = 0; i <= SPACES; i++)
		world_add_space(i, 1, i ? 1 : 2);
	sim_thread("pinner", 0, 1, &world_space[0].ktlb,
	           variant < CHANGES ? pin_and_change : pin_late,
	           (void *)(uintptr_t)(variant % CHANGES));
	sim_thread("tourist", 1, 2, &world_space[1].ktlb, tour, 0);
}

SCENARIO(pinned_rollover) = {
	.name = "pinned-rollover",
	.text = "a pinned space keeps its number while all others are given out anew",
	.arches = FOR_ARM64,
	.cpus = 2,
	.variants = 2 * CHANGES,
	.before = one_may_be_kept,
	.setup = pins,
	.reach = {"rollover"},
};

/* ---- one CPU alone ----------------------------------------------------------------------------*/

#if KTLB_CFG_ARM64_LOCAL

static void change_on_the_only_cpu(void *how)
{
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
}

static void enter_for_the_first_time(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[0]);
	use(3);
}

static void first_run(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("owner", 0, 1, &world_space[0].ktlb, change_on_the_only_cpu,
	           (void *)(uintptr_t)(variant % CHANGES));
	/* alone on its CPU, or with the owner, which may be moved in the middle of a flush */
	sim_thread("second", 1, variant < CHANGES ? 2 : 3, &world_space[1].ktlb,
	           enter_for_the_first_time, 0);
}

SCENARIO(first_run_elsewhere) = {
	.name = "first-run",
	.text = "a space is changed on the one CPU that it has run on, and first runs on another one",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.setup = first_run,
	.reach = {"flush_local"},
};

/* The owner is moved: its flush goes on elsewhere, or its post is waited for there. */
static void change_and_wander(void *how)
{
	for (unsigned i = 0; i < 3; i++) {
		use(1);
		change(&world_space[0], 0, (enum change)(uintptr_t)how);
	}
}

static void wander(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("wanderer", 0, 3, &world_space[0].ktlb, change_and_wander,
	           (void *)(uintptr_t)(variant % CHANGES));
	/* where the wanderer comes to, or where it has been: what is left there is met */
	if (variant < CHANGES)
		sim_thread("other", 1, 2, &world_space[1].ktlb, enter_for_the_first_time, 0);
	else
		sim_thread("other", 0, 1, &world_space[1].ktlb, enter_for_the_first_time, 0);
}

SCENARIO(owner_wanders) = {
	.name = "owner-wanders",
	.text = "the only thread of a space is moved to another CPU between and inside its flushes",
	.arches = FOR_ARM64,
	.cpus = 2,
	.variants = 2 * CHANGES,
	.setup = wander,
	.reach = {"flush_local"},
};

/* Flushed by a CPU on which it never ran. */
static void change_from_outside(void *how)
{
	for (unsigned i = 0; i < 2; i++) {
		use(1);
		change(&world_space[0], 0, (enum change)(uintptr_t)how);
	}
}

static void use_alone(void *unused)
{
	(void)unused;
	use(4);
}

static void outsider(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("user", 0, 1, &world_space[0].ktlb, use_alone, 0);
	sim_thread("outsider", 1, 2, &world_space[1].ktlb, change_from_outside,
	           (void *)(uintptr_t)variant);
}

SCENARIO(flush_from_outside) = {
	.name = "flush-from-outside",
	.text = "a space that runs on one CPU alone is changed and flushed by another one",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = outsider,
	.reach = {"switch_slow"},
};

#endif
#endif
