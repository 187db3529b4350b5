/* SPDX-License-Identifier: MIT */
/*
 * Ids that are used again: few numbers and many spaces. arm64: the limit on ids is the smallest legal one and
 * larger ones, so that rollovers come often; x86-64: more spaces than slots.
 */
#include "world.h"

#define SPACES 9

static void limits(unsigned variant)
{
	static const uint32_t limit[] = {4, 5, 6, 8, 64};

	world_id_limit = KTLB_ARCH_INTERRUPTS ? 0 : limit[variant % 5];
}

static void tour(void *first)
{
	unsigned at = (unsigned)(uintptr_t)first;

	for (unsigned i = 0; i < SPACES; i++, at = (at + 1) % SPACES) {
		enter(&world_space[at]);
		use(1);
	}
}

static void tour_and_change(void *how)
{
	for (unsigned i = 0; i < SPACES; i += 2) {
		enter(&world_space[i]);
		use(1);
		change(&world_space[0], 0, (enum change)(uintptr_t)how);
	}
	enter(&world_space[0]);
	use(1);
}

static void add_spaces(void)
{
	for (uint32_t i = 0; i < SPACES; i++)
		world_add_space(i, 1, i ? 1 : 2);
}

static void reuse(unsigned variant)
{
	add_spaces();
	sim_thread("tourist", 0, 1, &world_space[0].ktlb, tour, (void *)1);
	sim_thread("flusher", 1, 2, &world_space[0].ktlb, tour_and_change,
	           (void *)(uintptr_t)(variant / 5));
}

SCENARIO(id_reuse) = {
	.name = "id-reuse",
	.text = "two CPUs run nine spaces, one of which is changed: ids are used again",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.variants = 5 * CHANGES,
	.before = limits,
	.setup = reuse,
	.reach = {"id_new"},
};

/* ---- arm64: rollover --------------------------------------------------------------------------*/

static void smallest(unsigned variant)
{
	(void)variant;
	world_id_limit = 4;
}

static void stay_and_change(void *how)
{
	use(2);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(2);
}

static void tour_of_four(void *unused)
{
	(void)unused;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 4; i++) {
			enter(&world_space[i]);
			use(1);
		}
}

static void rollover(unsigned variant)
{
	for (uint32_t i = 0; i < 4; i++)
		world_add_space(i, 1, i ? 1 : 2);
	sim_thread("flusher", 0, 1, &world_space[variant / CHANGES].ktlb, stay_and_change,
	           (void *)(uintptr_t)(variant % CHANGES));
	sim_thread("tourist", 1, 2, &world_space[1].ktlb, tour_of_four, 0);
}

SCENARIO(rollover_flush) = {
	.name = "rollover-flush",
	.text = "rollovers while another CPU flushes a space, which it runs or not",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.before = smallest,
	.setup = rollover,
	.reach = {"rollover"},
};

/* One space on two CPUs, over two rollovers. */
static void stay(void *unused)
{
	(void)unused;
	use(3);
	enter(&world_space[0]);
	use(2);
}

static void smallest_for_three(unsigned variant)
{
	(void)variant;
	world_id_limit = 5;
}

static void roll_over_twice(void *how)
{
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i < 5; i++) {
			enter(&world_space[i]);
			use(1);
		}
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
}

static void two_rollovers(unsigned variant)
{
	for (uint32_t i = 0; i < 5; i++)
		world_add_space(i, 1, i ? 1 : 2);
	sim_thread("user 0", 0, 1, &world_space[0].ktlb, stay, 0);
	sim_thread("user 1", 1, 2, &world_space[0].ktlb, stay, 0);
	sim_thread("tourist", 2, 4, &world_space[1].ktlb, roll_over_twice,
	           (void *)(uintptr_t)variant);
}

SCENARIO(two_rollovers) = {
	.name = "two-rollovers",
	.text = "a space on two CPUs over two rollovers, then changed",
	.arches = FOR_ARM64,
	.cpus = 3,
	.variants = CHANGES,
	.before = smallest_for_three,
	.setup = two_rollovers,
	.reach = {"rollover"},
};

/* Two rollovers while a CPU is inside one switch: the number that it really runs under. */
static void one_switch(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(1);
	/* Whoever has got the number that this CPU ran under. */
	for (uint32_t i = 2; i < 6; i++) {
		enter(&world_space[i]);
		use(1);
	}
}

static void tour_of_five(void *unused)
{
	(void)unused;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 2; i < 6; i++) {
			enter(&world_space[i]);
			use(1);
		}
}

static void double_rollover(unsigned variant)
{
	(void)variant;
	for (uint32_t i = 0; i < 6; i++)
		world_add_space(i, 1, 1);
	world_lazy(1, &world_space[1]); /* it has an id: the switch is a fast one */
	sim_thread("switcher", 0, 1, &world_space[0].ktlb, one_switch, 0);
	sim_thread("tourist", 1, 2, &world_space[2].ktlb, tour_of_five, 0);
}

SCENARIO(double_rollover) = {
	.name = "double-rollover",
	.text = "two rollovers while another CPU is inside one switch",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.before = smallest,
	.setup = double_rollover,
	.reach = {"rollover"},
};

/* A table of the space that a CPU is leaving goes while a rollover is under way. */
static void leave_for_1(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(1);
}

static void roll_and_change(void *how)
{
	enter(&world_space[3]);
	enter(&world_space[0]);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
}

static void leaving(unsigned variant)
{
	for (uint32_t i = 0; i < 5; i++)
		world_add_space(i, 1, i ? 1 : 2);
	world_lazy(0, &world_space[0]);
	world_lazy(1, &world_space[1]); /* it has an id: the switch is a fast one */
	sim_thread("leaver", 0, 1, &world_space[0].ktlb, leave_for_1, 0);
	sim_thread("roller", 1, 2, &world_space[2].ktlb, roll_and_change,
	           (void *)(uintptr_t)variant);
}

SCENARIO(leaving_rollover) = {
	.name = "rollover-leaving",
	.text = "a rollover while another CPU is leaving a space, which is then changed",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.before = smallest,
	.setup = leaving,
	.reach = {"rollover"},
};

static void alternate(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		enter(&world_space[3]);
		use(1);
		enter(&world_space[0]);
		use(1);
	}
}

/* A CPU that owes a flush goes lazy, and then runs whoever has got the number of its last space but one. */
static void lazy_debtor(void *unused)
{
	(void)unused;
	use(1);
	enter(0);
	for (uint32_t i = 2; i < 5; i++) {
		enter(&world_space[i]);
		use(1);
	}
}

static void roll_over_once(void *unused)
{
	(void)unused;
	for (uint32_t i = 2; i < 5; i++) {
		enter(&world_space[i]);
		use(1);
	}
}

static void lazy_debt(unsigned variant)
{
	(void)variant;
	for (uint32_t i = 0; i < 6; i++)
		world_add_space(i, 1, 1);
	world_lazy(0, &world_space[1]);
	sim_thread("debtor", 0, 1, &world_space[0].ktlb, lazy_debtor, 0);
	sim_thread("roller", 1, 2, &world_space[5].ktlb, roll_over_once, 0);
}

SCENARIO(lazy_rollover) = {
	.name = "rollover-lazy",
	.text = "a CPU that owes a flush since a rollover goes lazy",
	.arches = FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.before = smallest,
	.setup = lazy_debt,
	.reach = {"rollover", "enter_lazy"},
};

static void destroy_and_create(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 4; i++) {
		enter(&world_space[1]);
		use(1);
		enter(&world_space[2]);
		destroy(&world_space[1]);
		create_again(&world_space[1], 1, 1);
	}
}

static void recreate(unsigned variant)
{
	(void)variant;
	for (uint32_t i = 0; i < 4; i++)
		world_add_space(i, 1, 1);
	sim_thread("reaper", 0, 1, &world_space[2].ktlb, destroy_and_create, 0);
	sim_thread("user", 1, 2, &world_space[0].ktlb, alternate, 0);
}

SCENARIO(recreate_spaces) = {
	.name = "recreate",
	.text = "a space is destroyed and made again, again and again: ids of the dead",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.variants = 5,
	.before = limits,
	.setup = recreate,
	.reach = {"id_new"},
};
