/* SPDX-License-Identifier: MIT */
/* Flushes against CPUs that come to a space, leave it, are lazy in it, or come online. */
#include "world.h"

static void change_by_variant(void *how)
{
	use(1);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
}

static void come(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[0]);
	use(2);
}

static void go(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(2);
}

static void go_and_come(void *unused)
{
	(void)unused;
	use(1);
	enter(&world_space[1]);
	use(1);
	enter(&world_space[0]);
	use(1);
}

static void flush_switch(unsigned variant, void *flushers_space, struct space *first,
                         void (*thread)(void *))
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	world_lazy(1, &world_space[0]); /* it has been there: its bit is set, something is cached */
	sim_thread("flusher", 0, 1, flushers_space, change_by_variant, (void *)(uintptr_t)variant);
	sim_thread("switcher", 1, 2, &first->ktlb, thread, 0);
}

static void use_twice(void *unused)
{
	(void)unused;
	use(2);
}

static void flush_come(unsigned variant)
{
	flush_switch(variant % CHANGES, &world_space[variant / CHANGES].ktlb, &world_space[1],
	             come);
}

SCENARIO(flush_come) = {
	.name = "flush-come",
	.text = "a flush against a CPU that comes to the space; the flusher runs it, or not",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.setup = flush_come,
	.reach = {"switch_hit"},
};

/* The first time on this CPU: its bit is not in the set yet. */
static void flush_first(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("flusher", 0, 1, &world_space[variant / CHANGES].ktlb, change_by_variant,
	           (void *)(uintptr_t)(variant % CHANGES));
	sim_thread("switcher", 1, 2, &world_space[1].ktlb, come, 0);
}

SCENARIO(flush_first) = {
	.name = "flush-first",
	.text = "a flush against a CPU that comes to the space for the first time",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.setup = flush_first,
};

static void flush_go(unsigned variant)
{
	flush_switch(variant % CHANGES, &world_space[variant / CHANGES].ktlb, &world_space[0], go);
}

SCENARIO(flush_go) = {
	.name = "flush-go",
	.text = "a flush against a CPU that leaves the space for another",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.setup = flush_go,
	.reach = {"stale-entry-alive"},
};

static void flush_go_come(unsigned variant)
{
	flush_switch(variant, &world_space[0].ktlb, &world_space[0], go_and_come);
}

SCENARIO(flush_go_come) = {
	.name = "flush-go-come",
	.text = "a flush against a CPU that leaves the space and comes back to it",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = flush_go_come,
	.reach = {"stale-entry-alive", "switch_hit"},
};

/* Two CPUs come at the same time, so that both enter the set; then both leave it. */
static void come_and_go(void *unused)
{
	(void)unused;
	enter(&world_space[0]);
	use(1);
	enter(&world_space[1]);
	use(1);
}

static void change_late(void *how)
{
	use(2);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
	change(&world_space[0], 0, CHANGE_TABLE);
}

static void two_come(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_late, (void *)(uintptr_t)variant);
	sim_thread("visitor 1", 1, 2, &world_space[1].ktlb, come_and_go, 0);
	sim_thread("visitor 2", 2, 4, &world_space[1].ktlb, come_and_go, 0);
}

SCENARIO(two_come) = {
	.name = "two-come",
	.text = "a flush against two CPUs that come to the space and leave it together",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.variants = CHANGES,
	.setup = two_come,
	.reach = {"stale-entry-alive"},
};

/* ---- the contract's full barriers -------------------------------------------------------------*/

static uint64_t wrote[2], read_other[2];

/* Store, switch, load; the other CPU: store, fence, load. One of the loads must see the other's store. */
enum {
	WITHIN,
	TO_LAZY,
	TO_ANOTHER,
	DESTROY,
	WAYS
};

static void store_switch_load(void *way)
{
	ktlb_store_relaxed(&wrote[0], (uint64_t)1);
	if (way == (void *)DESTROY)
		destroy(&world_space[1]);
	else
		enter(way == (void *)TO_LAZY ? 0 : &world_space[0]);
	read_other[0] = 1 + ktlb_load_relaxed(&wrote[1]);
}

static void store_fence_load(void *unused)
{
	(void)unused;
	ktlb_store_relaxed(&wrote[1], (uint64_t)1);
	ktlb_fence_full();
	read_other[1] = 1 + ktlb_load_relaxed(&wrote[0]);
}

static const char *barrier_end(void)
{
	return read_other[0] == 1 && read_other[1] == 1
	               ? "ktlb_switch, ktlb_enter_lazy or ktlb_space_destroy was no full barrier"
	               : 0;
}

static void barrier(unsigned variant)
{
	world_add_space(0, 1, 1);
	world_add_space(1, 1, 1);
	sim_thread("switcher", 0, 1, &world_space[variant == TO_ANOTHER].ktlb, store_switch_load,
	           (void *)(uintptr_t)variant);
	sim_thread("other", 1, 2, 0, store_fence_load, 0);
}

SCENARIO(switch_barrier) = {
	.name = "switch-barrier",
	.text = "a switch within a space, to lazy mode, to another space, a destroy: full barriers",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = WAYS,
	.setup = barrier,
	.end = barrier_end,
};

/* ---- lazy mode --------------------------------------------------------------------------------*/

static void nap(void *unused)
{
	(void)unused;
	use(1);
	enter(0);
	sim_point();
	enter(&world_space[0]);
	use(2);
}

static void lazy(unsigned variant)
{
	world_add_space(0, 1, 2);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("napper", 1, 2, &world_space[0].ktlb, nap, 0);
}

SCENARIO(lazy_flush) = {
	.name = "lazy-flush",
	.text = "a flush against a CPU that goes lazy in the space and comes back",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = lazy,
	.reach = {"stale-entry-alive", "enter_lazy"},
};

static void nap_between(void *unused)
{
	(void)unused;
	use(1);
	enter(0);
	enter(&world_space[0]);
	use(1);
	enter(0);
	enter(&world_space[1]);
	use(1);
}

/* Lazy in one, then it runs the one that is flushed: `loaded` and `lazy` are of different times. */
static void lazy_between(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	world_lazy(1, &world_space[0]);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_by_variant,
	           (void *)(uintptr_t)variant);
	sim_thread("napper", 1, 2, &world_space[1].ktlb, nap_between, 0);
}

SCENARIO(lazy_between) = {
	.name = "lazy-between",
	.text = "a flush against a CPU that is lazy in another space and then runs this one",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = lazy_between,
	.reach = {"enter_lazy"},
};

/* An idle CPU keeps the root; tables go, twice; then it wakes up, or has been woken in between. */
static struct sim_thread *sleeper;

static void tables_twice(void *how)
{
	change(&world_space[0], 0, CHANGE_TABLE);
	sim_wake(sleeper);
	change(&world_space[0], 0, (enum change)(uintptr_t)how);
	use(1);
}

static void sleep_lazily(void *unused)
{
	(void)unused;
	sim_sleep();
	enter(&world_space[0]);
	use(2);
}

static void lazy_tables(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_lazy(1, &world_space[0]);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, tables_twice, (void *)(uintptr_t)variant);
	sleeper = sim_thread("sleeper", 1, 2, 0, sleep_lazily, 0);
}

SCENARIO(lazy_tables) = {
	.name = "lazy-tables",
	.text = "tables are freed while an idle CPU still has the root",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = CHANGES,
	.setup = lazy_tables,
};

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

static void destroy_lazy(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	world_lazy(1, &world_space[0]);
	if (variant)
		world_lazy(2, &world_space[0]);
	sim_thread("reaper", 0, 1, &world_space[0].ktlb, destroy_it, 0);
	sim_thread("other", 2, 4, variant ? 0 : &world_space[1].ktlb, use_twice, 0);
}

SCENARIO(destroy_lazy) = {
	.name = "destroy-lazy",
	.text = "a space is destroyed while idle CPUs still have its root; its memory is used again",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 3,
	.small = 1,
	.variants = 2,
	.setup = destroy_lazy,
	.reach = {"enter_lazy"},
};

/* The reaper itself has it loaded; another CPU leaves it just before. */
static struct sim_thread *reaper;

static void leave_and_tell(void *unused)
{
	(void)unused;
	use(1);
	enter(0);
	sim_wake(reaper);
	do_nothing(0);
	enter(&world_space[1]);
	use(1);
}

static void destroy_own(void *unused)
{
	(void)unused;
	use(1);
	sim_leave_user();
	sim_sleep();
	sim_thread_set_space(0);
	destroy(&world_space[0]);
	create_again(&world_space[0], 1, 2);
}

static void destroy_loaded(unsigned variant)
{
	(void)variant;
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	reaper = sim_thread("reaper", 0, 1, &world_space[0].ktlb, destroy_own, 0);
	sim_thread("last user", 1, 2, &world_space[0].ktlb, leave_and_tell, 0);
}

SCENARIO(destroy_loaded) = {
	.name = "destroy-loaded",
	.text = "a space is destroyed by a CPU that has it loaded, while another one is lazy in it",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 1,
	.setup = destroy_loaded,
};

/* ---- a CPU comes online -----------------------------------------------------------------------*/

static void come_online(void *unused)
{
	(void)unused;
	world_online();
	enter(&world_space[0]);
	use(1);
	enter(&world_space[1]);
	use(1);
}

/*
 * In the first half of the variants the newcomer has the kernel's half mapped before it is online, and no
 * table of that goes; in the second half its start-up tables are its own.
 */
static void online_before(unsigned variant)
{
	world_absent = 1u << 1;
	world_former_root = variant < CHANGES;
}

static void change_both(void *variant)
{
	uintptr_t how = (uintptr_t)variant;

	change(&world_space[0], 0, (enum change)(how % CHANGES));
	change_kernel(0, how < CHANGES ? KERNEL_LEAF : KERNEL_TABLE);
	destroy(&world_space[2]); /* looks at all CPUs */
	use(1);
}

static void online(unsigned variant)
{
	world_add_space(0, 1, 2);
	world_add_space(1, 1, 1);
	world_add_space(2, 1, 1);
	sim_thread("flusher", 0, 1, &world_space[0].ktlb, change_both, (void *)(uintptr_t)variant);
	sim_thread("newcomer", 1, 2, 0, come_online, 0);
}

SCENARIO(cpu_online) = {
	.name = "cpu-online",
	.text = "flushes of a space and of the kernel's half against a CPU that comes online",
	.arches = FOR_X86_64 | FOR_ARM64,
	.cpus = 2,
	.small = 1,
	.variants = 2 * CHANGES,
	.before = online_before,
	.setup = online,
};
