/* SPDX-License-Identifier: MIT */
/*
 * What the files of the library share, and how they fit together.
 *
 *   ktlb_cpu.c      init, CPUs, counts: the state of the system
 *   ktlb_space.c    the life of a space
 *   ktlb_flush.c    what to invalidate
 *   ktlb_gather.c   many changes, one flush
 *   ktlb_need.c     which changes need one
 *   ktlb_errata.c   which CPUs have what erratum
 *   ktlb_stats.c    the counts, for people
 *   ktlb_selftest.c is the port right?
 *
 *                   ids per system, broadcast     ids per CPU, interrupts
 *                   (arm64)                       (x86-64)
 *   switch, lazy    ktlb_switch_global.c          ktlb_switch_percpu.c
 *   ids             ktlb_asid_global.c            ktlb_asid_percpu.c
 *   shootdown       ktlb_shootdown_broadcast.c    ktlb_shootdown_ipi.c
 *
 * An architecture picks one file of each line and supplies <ktlb_arch/arch.h>, with
 * <ktlb_arch/insn.h> below it. (Angle brackets: a quoted include would look beside the including
 * file first, and the checker could not put its own insn.h in front.)
 */
#ifndef KTLB_PRIV_H
#define KTLB_PRIV_H

#include <ktlb/atomic.h>
#include <ktlb/cpu.h>
#include <ktlb/cpuset.h>
#include <ktlb/ktlb.h>
#include <ktlb/port.h>
#include <ktlb_arch/arch.h>

/* ktlb_cpu.magic: the state of a CPU, as ktlb_cpu.c tells it. Memory of zero bytes never was a CPU's. */
#define KTLB_CPU_MAGIC    0x6b637075u /* "kcpu": online */
#define KTLB_CPU_STARTING 0x6b637073u
#define KTLB_CPU_QUIET    0x6b637071u
#define KTLB_CPU_ABSENT   0x6b637061u

#define ktlb_likely(x)   __builtin_expect(!!(x), 1)
#define ktlb_unlikely(x) __builtin_expect(!!(x), 0)

/* For what is written once and used twice on a hot path. */
#define KTLB_INLINE static inline __attribute__((always_inline))

/* The caller broke the contract. Always checked. */
#define KTLB_REQUIRE(condition, sentence, got, want)                                 \
	do {                                                                         \
		if (ktlb_unlikely(!(condition)))                                     \
			ktlb_port_fail(sentence, (uint64_t)(got), (uint64_t)(want)); \
	} while (0)

/* The same on a hot path: gone with KTLB_CFG_CHECK == 0. */
#define KTLB_CHECK(condition, sentence, got, want)                    \
	do {                                                          \
		if (KTLB_CFG_CHECK)                                   \
			KTLB_REQUIRE(condition, sentence, got, want); \
	} while (0)

/*
 * The state of the system that is written by ktlb_init alone, except `generation`: by a rollover,
 * under the allocator's lock. So the line is in every CPU's cache, shared. Before ktlb_init the
 * generation is not 0, so that a space of zero bytes does not have it.
 */
struct ktlb_sys {
	uint64_t generation; /* of ids, in an id's place; never 0 once initialised */
	uint64_t kernel_root;
	uint32_t id_limit; /* 0 = ktlb_init has not run */
	uint32_t features; /* KTLB_FEATURE_* */
	uint32_t full_flush_strides;
	uint32_t repeat_tlbi; /* KTLB_ERRATUM_REPEAT_TLBI */
	uint32_t errata;      /* KTLB_ERRATUM_* that are worked around */
	uint32_t cpus;        /* how many may be online */
	uint64_t watchdog;    /* how long an answer may take, 0 = for ever */
} __attribute__((aligned(KTLB_CFG_CACHE_LINE)));

/* Of no interest to a dynamic linker: position-independent kernels reach them without a GOT. */
#define KTLB_HIDDEN __attribute__((visibility("hidden")))

extern KTLB_HIDDEN struct ktlb_sys ktlb_sys;

/*
 * The state of each CPU that has been online, by number; else null. Written with release [B12]; read without it through ktlb_load_dependency.
 */
extern KTLB_HIDDEN struct ktlb_cpu *ktlb_cpus[KTLB_CFG_MAX_CPUS];
extern KTLB_HIDDEN struct ktlb_cpuset ktlb_online;

/* Zeroes words one by one: the compiler would call memset for plain stores in a loop. */
static inline void ktlb_clear_words(uint64_t *word, uint64_t words)
{
	for (uint64_t i = 0; i < words; i++)
		ktlb_store_relaxed(&word[i], (uint64_t)0);
}

#if !KTLB_CFG_TRACE
static inline void ktlb_port_trace(const struct ktlb_trace_record *record)
{
	(void)record;
}
#endif

/*
 * Counts on this CPU. Atomic, since an interrupt may count too, and the thread may be moved. Traces the
 * same event, with what it concerns.
 */
KTLB_INLINE void ktlb_count_of(enum ktlb_counter counter, const struct ktlb_space *space,
                               uint64_t va, uint64_t pages, uint64_t generation)
{
	if (KTLB_CFG_COUNT)
		ktlb_add_relaxed(KTLB_CPU_FIELD(count[counter]), (uint64_t)1);
	if (KTLB_CFG_TRACE) {
		struct ktlb_trace_record record = {(uint32_t)counter,
		                                   *KTLB_CPU_FIELD(number),
		                                   space ? ktlb_load_relaxed(&space->id) : 0,
		                                   va,
		                                   pages,
		                                   generation};

		ktlb_port_trace(&record);
	}
}

/* The same where nothing is to be told of it. */
static inline void ktlb_count(enum ktlb_counter counter)
{
	ktlb_count_of(counter, 0, 0, 0, 0);
}

/* ---- plans ------------------------------------------------------------------------------------*/

/*
 * From how many leaves on everything is cheaper: as many invalidations as cost what a full flush does
 * and the refill after it. At least 2, so that one page is one instruction whatever was measured.
 */
static inline uint32_t ktlb_strides(struct ktlb_costs costs, uint32_t unknown)
{
	uint64_t strides;

	if (costs.page == 0)
		return unknown;
	strides = ((uint64_t)costs.full + costs.refill + costs.page - 1) / costs.page;
	return strides < 2 ? 2 : strides > ~(uint32_t)0 ? ~(uint32_t)0 : (uint32_t)strides;
}

/* ---- ids --------------------------------------------------------------------------------------*/

/*
 * How many ids there will be, from the configuration and the features that are to be used; fails if
 * that cannot be.
 */
uint32_t ktlb_ids_limit(const struct ktlb_config *config, const struct ktlb_arch_facts *facts);
void ktlb_ids_init(void);

/*
 * This CPU, whose state is filled in but for what ids need, becomes known to all. `first`: its memory
 * is new. And the other way: it has left its space, and is no longer one of those that are asked.
 */
void ktlb_ids_cpu_online(struct ktlb_cpu *self, int first);
void ktlb_ids_cpu_offline(struct ktlb_cpu *self);

/* Leaves the space for good, its root and then its set; what the thread ran in, null if lazy. */
struct ktlb_space *ktlb_leave_space(struct ktlb_cpu *self);

/* The begin of a space, and the end of one that no CPU has loaded. */
void ktlb_ids_space_init(struct ktlb_space *space);
void ktlb_ids_release(struct ktlb_space *space);

/* ---- shootdown --------------------------------------------------------------------------------*/

/*
 * Each makes the changes of the caller visible, invalidates, and returns when all CPUs have. A span
 * is `pages` granules from `va`, both multiples of 2^step_shift bytes, which is what one entry maps.
 */
enum ktlb_what {
	KTLB_WHAT_ALL_LEVELS,      /* tables may have gone */
	KTLB_WHAT_LEAVES,          /* leaf entries only */
	KTLB_WHAT_LEAVES_OF_LEVEL, /* and all of them at the level of the step */
	KTLB_WHAT_GATHERED,        /* what each of several spans says */
};

void ktlb_shootdown_page(struct ktlb_space *space, uint64_t va, int leaf_only);
void ktlb_shootdown_span(struct ktlb_space *space, uint64_t va, uint64_t pages, uint32_t step_shift,
                         enum ktlb_what what);
void ktlb_shootdown_space(struct ktlb_space *space);

/*
 * The same in two steps: the spans that *pending holds, or all of its space if it holds none. `tables`:
 * one of the spans is for all levels, or there is none.
 */
void ktlb_shootdown_post(struct ktlb_pending *pending, int tables);
void ktlb_shootdown_wait(struct ktlb_pending *pending);

/* A page, on this CPU alone, at all levels: for an entry whose change needs no more. */
void ktlb_shootdown_here(struct ktlb_space *space, uint64_t va);

/* Ends what may still be using a space that no thread will run in again. */
void ktlb_shootdown_dead_space(struct ktlb_space *space);
void ktlb_shootdown_kernel_span(uint64_t va, uint64_t pages, uint32_t step_shift,
                                enum ktlb_what what);

/* ---- is the port right? -----------------------------------------------------------------------*/

/*
 * Where CPUs are interrupted: a request to one CPU, for next to nothing, and whether it was answered. This
 * CPU itself has nothing to ask.
 */
struct ktlb_ping {
	const struct ktlb_cpu *from;
	uint32_t cpu;
	uint64_t sequence;
};
struct ktlb_ping ktlb_shootdown_ping(uint32_t cpu);
int ktlb_shootdown_pong(const struct ktlb_ping *ping);

#endif /* KTLB_PRIV_H */
