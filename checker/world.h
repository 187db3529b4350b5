/* SPDX-License-Identifier: MIT */
/*
 * What scenarios are made of: spaces with small page tables, changes of them with the flush that goes
 * with each, threads in user mode, and the few lines of a kernel's scheduler. All of it is instrumented, as the library
 * is: it runs on the simulated machine.
 */
#ifndef CHECKER_WORLD_H
#define CHECKER_WORLD_H

#include <ktlb/cpu.h>
#include <ktlb/ktlb.h>
#include <stdint.h>

#include "sim.h"

#define WORLD_SPACES 16
#define WORLD_SLOTS  2 /* of 2 MiB, in a space */
#define WORLD_PAGES  2 /* in a slot's table */

struct space {
	struct ktlb_space ktlb;
	uint64_t root[WORLD_SLOTS];
	uint64_t table[WORLD_SLOTS][WORLD_PAGES];
	uint32_t number;
	uint32_t first_pte[WORLD_SLOTS]; /* of its tables */
	uint32_t frames;                 /* the next frame of its own: each is mapped once */
};

extern struct space world_space[WORLD_SPACES];
extern struct ktlb_cpu world_cpu[SIM_CPUS];

/* What a scenario's set-up makes. `slots` of 2 MiB with a table of `pages` each, all mapped. */
void world_add_space(uint32_t number, unsigned slots, unsigned pages);
/* In set-up, on a CPU: it has the space loaded, as if lately left for an idle thread. */
void world_lazy(uint32_t cpu, struct space *space);
/* CPUs that are not online when the run begins: they are absent until world_online. */
extern uint64_t world_frame; /* of a page that is given away: plain memory */
extern uint32_t world_absent;
extern uint32_t
	world_former_root; /* they have another root loaded until then, and the kernel's half */
void world_online(void);
/* A scenario's own, where 0 leaves it to the world. */
extern uint32_t world_id_limit, world_full_flush_strides;

/* ---- changes, each with its flush, which makes and keeps a promise ------------------------------*/

enum change {
	CHANGE_LEAF, /* a page is unmapped, flushed with KTLB_LEAF_ONLY, and mapped to another frame */
	CHANGE_PAGE,  /* the same, the flush for all levels */
	CHANGE_RANGE, /* all pages of a slot, by one range */
	CHANGE_SPACE, /* a page, by a flush of the space */
	CHANGE_TABLE, /* a table is unlinked, freed after the flush, used again for the same slot */
	CHANGE_BLOCK, /* the same, and a block takes its place for a while */
	CHANGE_MIXED, /* the same; the block goes by a flush that is not told how large leaves are */
	CHANGES
};
void change(struct space *space, unsigned slot, enum change how);

uint64_t page_va(unsigned slot, unsigned page);
void map_page(struct space *space, unsigned slot, unsigned page); /* to a new frame */
void unmap_page(struct space *space, unsigned slot, unsigned page);
void flush_page(struct space *space, unsigned slot, unsigned page, uint32_t flags);
void flush_unnumbered(struct space *space); /* x86-64: a request that belongs to no generation */
void unlink_table(struct space *space, unsigned slot);
void free_table(struct space *space, unsigned slot);
void link_table_again(struct space *space, unsigned slot, unsigned pages);
void map_block(struct space *space, unsigned slot);
/* The kernel's half: a page, in its first slot; its second slot's table, flushed whole. */
enum kernel_change {
	KERNEL_LEAF,  /* flushed with KTLB_LEAF_ONLY */
	KERNEL_PAGE,  /* flushed for all levels */
	KERNEL_TABLE, /* the table is unlinked, freed after the flush, used again */
	KERNEL_CHANGES
};
void change_kernel(unsigned page, enum kernel_change how);

void destroy(struct space *space); /* and frees its tables */
void create_again(struct space *space, unsigned slots, unsigned pages);

/* ---- threads ----------------------------------------------------------------------------------*/

/* The calling thread is in user mode and accesses memory, in its space; n times. */
void use(unsigned n);
/* Could this CPU still use the entry that the page had at the beginning? */
int may_use_old_entry(const struct space *space, unsigned slot, unsigned page);
/* The thread goes over to another space, by a switch. */
void enter(struct space *space);
void do_nothing(void *unused); /* a thread with nothing to do */
/* A mutex of the kernel, whose waiters poll with interrupts off. */
struct spinlock {
	uint32_t held;
};
void spin_lock(struct spinlock *lock, int poll);
void spin_unlock(struct spinlock *lock);

/* ---- scenarios --------------------------------------------------------------------------------*/

#define FOR_X86_64 1u
#define FOR_ARM64  2u

struct scenario {
	const char *name, *text;
	unsigned arches;
	uint32_t cpus;
	void (*before)(unsigned variant); /* sets world_*, before ktlb_init; may be null */
	int small;                        /* an exhaustive search with k = 2 ends soon */
	unsigned variants;                /* of set-up */
	void (*setup)(unsigned variant);
	const char *(*end)(void); /* null, or what is wrong after a run; may be null itself */
	const char *reach
		[5]; /* each must be reached: an event of the oracle or a counter of the library */
	unsigned machines;   /* bits of those it is for; 0: all */
	const char *expects; /* a violation that must be found: what wrong use of ktlb ends in */
};
/* All of them: pointers in a section of their own. */
extern const struct scenario *const scenario_first[] __asm__("__start_scenarios");
extern const struct scenario *const scenario_last[] __asm__("__stop_scenarios");
#define SCENARIO(name)                                                          \
	static const struct scenario name##_scenario;                           \
	static const struct scenario *const name##_pointer                      \
		__attribute__((section("scenarios"), used)) = &name##_scenario; \
	static const struct scenario name##_scenario

/* For the engine. */
void world_begin(uint32_t cpus);
void world_ready(void);
const char *world_end(void);
uint64_t world_count(enum ktlb_counter counter);

#endif /* CHECKER_WORLD_H */
