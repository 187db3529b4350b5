/* SPDX-License-Identifier: MIT */
/*
 * The simulated machine: what its parts share.
 *
 * The machine runs the library's C files unchanged. They are compiled with -fsanitize=thread, which puts a
 * call in front of each access to memory, and linked with our own implementation of those calls
 * (hooks.c) and our own insn.h. So one sees all that two CPUs can see of each other, and decides it.
 *
 *   hooks.c     the entry points that the compiler calls
 *   mem.c       memory models: which store a load returns, races between plain accesses
 *   sched.c     CPUs, threads, interrupts: who goes on at a point
 *   choose.c    every decision is one call, choose(); random, PCT, exhaustive, replay are four of it
 *   tlb.c       all that each CPU's TLB could hold, and the walkers that fill it
 *   cpu_*.c     the privileged instructions of an architecture, decoded as its manual says
 *   trace.c     what happened, for people
 *
 * Points. Only atomics, fences, privileged instructions, calls of the port and user steps are points
 * at which others may go on; so a run means the same whatever the compiler made of plain accesses.
 * Nothing drains a store buffer or serialises without a point just before it.
 *
 * Memory. Real memory always holds the newest store in modification order, so that a plain access,
 * if there is no race, just happens. The simulated part of it is one section, `simdata`, into which
 * the build renames .data and .bss of the library and of the scenarios: it is copied back before each
 * run. Everything outside of it (stacks, constants) is no CPU's business.
 */
#ifndef SIM_H
#define SIM_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SIM_CPUS
#define SIM_CPUS 8
#endif

/* ---- the run ----------------------------------------------------------------------------------*/

enum sim_model {
	SIM_SC,
	SIM_TSO,
	SIM_WEAK, /* C11 with the rule that a store which a second CPU has read is visible to all */
	SIM_WEAK_C11, /* without that rule */
	SIM_MODELS
};
extern enum sim_model sim_model;
extern const char *const sim_model_name[SIM_MODELS];

/* In set-up sim_violation comes back here, if it is set. */
extern jmp_buf *sim_setup_violated;

/* Ends the run: `name` is the violation's, a word; the rest says what. Does not return to the caller
 * when a CPU is running. The first violation of a run is the one that counts. */
__attribute__((format(printf, 2, 3))) void sim_violation(const char *name, const char *format, ...);

struct sim_result {
	const char *violation; /* null: none */
	char text[400];
	uint64_t events;
};
extern struct sim_result sim_result;

/*
 * Takes what simdata, the CPUs and the TLBs hold now as the beginning of every run; goes back to it.
 * Between the two, with sim_cur null, accesses are raw: that is how a world is set up.
 */
void sim_snapshot(void);
void sim_reset(void);

/* Runs all threads until each has ended, or until a violation. */
void sim_run(void);

extern uint64_t sim_event_limit;

/* ---- choices ----------------------------------------------------------------------------------*/

enum sim_choice {
	SIM_CHOOSE_CPU, /* at a point: 0 = the running CPU goes on */
	SIM_CHOOSE_RELAX, /* in a waiting loop, an idle CPU, an ended thread: 0 = the next CPU in turn */
	SIM_CHOOSE_PREEMPT,   /* 0 = no */
	SIM_CHOOSE_THREAD,    /* which runnable thread an idle CPU takes: 0 = the longest waiting */
	SIM_CHOOSE_INTERRUPT, /* 0 = deliver what is pending, 1 = put it off */
	SIM_CHOOSE_DRAIN,     /* 0 = no buffered store becomes visible now; else which CPU's */
	SIM_CHOOSE_STORE,     /* which store a load returns: 0 = the newest */
	SIM_CHOOSE_OTHER,     /* of a scenario, or of a litmus test's walker */
	SIM_CHOICES
};

/* One of 0 .. n - 1. 0 is what happens by itself; anything else costs 1 in a bounded search. n >= 1. */
unsigned sim_choose(enum sim_choice kind, unsigned n);

/* The same of CPUs, numbers given; the first is the one that goes on by itself. */
unsigned sim_choose_cpu(enum sim_choice kind, const uint8_t *candidates, unsigned n);

/* Is the search one that draws lots? Then some waits have random lengths. */
unsigned sim_hold(void); /* for how many points of its CPU an interrupt is put off */

enum sim_strategy {
	SIM_RANDOM,
	SIM_PCT,
	SIM_EXHAUSTIVE,
	SIM_REPLAY_TAPE
};
struct sim_search {
	enum sim_strategy strategy;
	uint64_t seed;
	uint64_t run;         /* number of the run: random and PCT draw from (seed, run) */
	unsigned preemptions; /* exhaustive: at most so many choices of who goes on, */
	unsigned
		oddities; /* so many of memory and interrupts, and not more than the larger number of both */
	const char *tape; /* replay: "position.value,..." of an exhaustive run */
};
/* Begins a run; for the exhaustive search, the next one. False: the space is exhausted. */
int sim_search_begin(const struct sim_search *search);
void sim_search_restart(void); /* exhaustive: from its first run */
/* The choices of this run that were not 0, as a tape. */
const char *sim_search_tape(void);

/* ---- CPUs and threads -------------------------------------------------------------------------*/

struct sim_thread;
struct sim_cpu {
	uint32_t number;
	int irqs_off;
	int in_handler;
	int user;          /* in user mode: what it accesses it may access at any instant */
	uint32_t ipi;      /* an interrupt is pending */
	uint32_t hold;     /* for so many points it is not delivered */
	uint64_t quiet_at; /* the count of changes when it last found nothing to do but wait */
	int quiet;
	uint64_t percpu_base;      /* GS base, TPIDR_EL1 */
	struct sim_thread *thread; /* that runs here */
	struct sim_thread *idle;
	uint64_t cr3, cr4;                 /* x86-64 */
	uint64_t ttbr0, ttbr1, tcr;        /* arm64, as last written */
	int tlbi_since_dsb, half_complete; /* arm64, with the erratum: broadcast ones */
	int absent;                        /* not there yet: takes no interrupts */
	int starting;                      /* there, but not online: nothing is promised of it */
};
extern struct sim_cpu sim_cpus[SIM_CPUS];
extern uint32_t sim_cpu_count;
extern struct sim_cpu *sim_cur; /* who executes; null: set-up, raw accesses */

/*
 * A thread, made in set-up. `space`: what it runs in, a struct ktlb_space, or null for a kernel
 * thread. `affinity`: the CPUs it may run on. It begins on `cpu`, which must be free of others.
 */
struct sim_thread *sim_thread(const char *name, uint32_t cpu, uint64_t affinity, void *space,
                              void (*function)(void *), void *argument);
void *sim_thread_space(uint32_t cpu); /* of the thread that runs there; null: none */
struct sim_thread *sim_thread_self(void);
/* So many CPUs, all idle, interrupts off: the beginning of a set-up. */
void sim_cpus_begin(uint32_t count);
extern struct sim_cpu *sim_setup_cpu; /* who acts in set-up */
/* The space of the calling thread changes: its next switch to it loads another. */
void sim_thread_set_space(void *space);
/* Gives the CPU away: to another thread, or to the idle one. */
void sim_yield(void);
/* The calling thread waits until sim_wake(thread). */
void sim_sleep(void);
void sim_wake(struct sim_thread *thread);
/* What the checker supplies, too: this CPU is back in user mode; it leaves user mode. */
void sim_user_again(void);
void sim_leave_user(void);
/* May the engine take the CPU away from threads at any point with interrupts on? Set in set-up. */
extern int sim_preemption;

/* What the checker supplies: a CPU switches to a thread with this space (null: none). */
extern void (*sim_context_switch)(void *space);
/* The interrupt's handler. */
extern void (*sim_interrupt_handler)(void);

/* A point: others may go on here, interrupts arrive. `what` for the trace. */
void sim_point(void);
/* The running CPU can do nothing until another one does. */
void sim_relax(void);
/* Something that somebody may be waiting for has changed. */
void sim_progress(void);

void sim_send_ipi(uint32_t cpu);
uint64_t sim_irq_save(void);
void sim_irq_restore(uint64_t saved);

/* ---- memory -----------------------------------------------------------------------------------*/

extern char sim_data_start[] __asm__("__start_simdata"), sim_data_end[] __asm__("__stop_simdata");

/* Not watched: statistics. In set-up. */
void mem_ignore(const void *start, size_t size);

enum mem_rmw {
	MEM_EXCHANGE,
	MEM_ADD,
	MEM_SUB,
	MEM_AND,
	MEM_OR,
	MEM_XOR
};
uint64_t mem_load(const void *address, unsigned size, int order);
void mem_store(void *address, unsigned size, uint64_t value, int order);
uint64_t mem_rmw(void *address, unsigned size, enum mem_rmw op, uint64_t operand, int order);
int mem_cas(void *address, unsigned size, uint64_t *expected, uint64_t value, int success,
            int failure);
void mem_fence(int order);
void mem_plain(const void *address, unsigned size, int write);

/*
 * What the running CPU's instruction does to memory, a point just before it.
 *   MEM_SERIALISE   x86-64 MOV CR3, INVLPG, INVPCID, IRET: all earlier stores are visible to all, and
 *                   later walks of this CPU see all that it has seen. Under the weak models the latter
 *                   alone: there the protocol is on trial, not the instruction, which other
 *                   architectures do not have
 *   MEM_DSB_NSH     for this CPU and its walker
 *   MEM_DSB         the same, and to every walker
 *   MEM_DSB_ST      for stores only; later loads wait
 */
enum mem_barrier {
	MEM_SERIALISE,
	MEM_DSB,
	MEM_DSB_ST,
	MEM_DSB_NSH
};
void mem_barrier(enum mem_barrier kind);
void mem_others_are_done(void);
void mem_drain_all(void);

/*
 * Page-table entries: words of memory whose whole history is kept, since walkers may read old
 * stores. A version is a store's place in the word's modification order; 0 is what set-up left.
 */
#define SIM_PTES         96
#define SIM_PTE_VERSIONS 64
void mem_pte(unsigned pte, uint64_t *address); /* in set-up; pte counts from 0 */
unsigned mem_pte_newest(unsigned pte);
uint64_t mem_pte_value(unsigned pte, unsigned version);
uint64_t mem_pte_visible(uint32_t cpu,
                         unsigned pte); /* versions that this CPU's walker can read: bits */
unsigned mem_pte_view(uint32_t cpu,
                      unsigned pte); /* the version that this CPU knows of, at least */

/*
 * For litmus tests, which make translations one by one. The running CPU has translated by this
 * version; `ordered`: what it does later depends on that. A load with __ATOMIC_CONSUME is one whose
 * result later accesses and translations depend on.
 */
unsigned mem_ptes(void);
void mem_translated(unsigned pte, unsigned version, int ordered);
/* A walker that has read this version of an entry finds the other at least as new as this. */
unsigned mem_pte_carried(unsigned pte, unsigned version, unsigned other);

/* ---- translation ------------------------------------------------------------------------------*/

/* An entry, as walkers read it: the scenarios' page tables are made of these. */
#define PTE_PRESENT      ((uint64_t)1)
#define PTE_LEAF         ((uint64_t)2) /* in an upper table: a block of 2 MiB */
#define PTE_GLOBAL       ((uint64_t)4)
#define PTE_CONT         ((uint64_t)8) /* arm64: one of 16 that may be cached as one */
#define PTE_WRITE        ((uint64_t)16)
#define PTE_ACCESSED     ((uint64_t)32) /* without it an entry is not cached */
#define PTE_DIRTY        ((uint64_t)64)
#define PTE_ADDRESS(pte) ((pte)&0x0000fffffffff000)

/*
 * Tables, in set-up. A root has `entries` entries for 2 MiB each from `va` on; a leaf table 4 KiB each.
 * `pa` is its physical address. `space` tells roots, leaf tables and spaces apart in reports: -1 is the kernel.
 * The kernel's root is walked for the kernel's half under every root. Entries get pte numbers
 * from `first_pte` on, which is returned by tlb_table.
 */
#define TLB_UPPER_SHIFT 21
#define TLB_PAGE_SHIFT  12
unsigned tlb_table(uint64_t pa, int is_root, int space, uint64_t va, uint64_t *words,
                   unsigned entries);
void tlb_table_free(uint64_t pa);               /* from now on no walker may be in it */
void tlb_table_reuse(uint64_t pa, uint64_t va); /* it is a table again, at this address */

/* Versions of a pte that this CPU could use now, for an access under what is loaded: bits. Includes what its walker can read. */
uint64_t tlb_usable(uint32_t cpu, unsigned pte);
/* Does any CPU have this root in its register, or might still use it? Its number, or -1. */
int tlb_root_loaded(uint64_t root_pa);
unsigned tlb_id(uint32_t cpu); /* the hardware id under which the CPU runs */

/* The architecture's, cpu_*.c. A return to user mode: serialises, or synchronises the context. */
void sim_enter_user(void);
/* Its name, and a CPU's registers before ktlb is initialised. */
extern const char sim_arch[];
void sim_arch_reset(void);
/* Machines that a run may be on: the features of its CPUs. */
extern const char *const sim_machine_name[];
extern unsigned sim_machines;
void sim_machine(unsigned machine);
extern uint32_t
	sim_machine_id_limit; /* arm64: what the world gives to ktlb_config.id_limit, 0: its own */

extern int sim_machine_repeat; /* arm64: has the erratum that needs each TLBI and DSB twice */
/* In set-up: this CPU's TLB holds what a former life has left in it, and it still walks from this root, if
 * any. */
void sim_former_life(uint32_t cpu, uint64_t root);
void tlb_dirty(uint32_t cpu);

/* Of the promises that flushes have made: the oldest version of a pte that may still be used. */
extern unsigned sim_pte_floor[SIM_PTES];

/* A version has become the newest of its pte (mem.c calls this). */
void tlb_pte_stored(unsigned pte);
void tlb_snapshot(void);
void tlb_reset(void);

/* A new set-up: no tables, nothing cached, before the first tlb_table. */
void tlb_begin(void);
/* As tlb_usable, of pointers to a table: versions of a root's entry. */
uint64_t tlb_upper_usable(uint32_t cpu, unsigned pte);
/* An entry of another space for the same address that this CPU could use now; or -1. */
int tlb_foreign(uint32_t cpu, unsigned pte);
/* A walker sets A, for a store D too, in the newest version, if it gets there and it is not set. */
int tlb_walker_sets_accessed(uint32_t cpu, unsigned pte, int for_store);
/* The second mode: fills by chance instead of keeping all that could be. An event that may fill. */
extern int tlb_random;
void tlb_walk_by_chance(uint32_t cpu);
/* The entry of an interrupt, for the architecture: arm64 synchronises the context. Its return is sim_enter_user. */
void sim_enter_interrupt(void);

/* ---- trace ------------------------------------------------------------------------------------*/

enum sim_trace_kind {
	TRACE_LOAD,
	TRACE_STORE,
	TRACE_RMW,
	TRACE_FENCE,
	TRACE_INSN,
	TRACE_NOTE,
	TRACE_DRAIN
};
extern int sim_tracing;
/* value: what was read or written; other: the value before a read-modify-write. */
void trace_access(enum sim_trace_kind kind, const void *address, uint64_t value, uint64_t other);
__attribute__((format(printf, 1, 2))) void trace_note(const char *format, ...);
__attribute__((format(printf, 2, 3))) void trace_note_on(uint32_t cpu, const char *format, ...);
#define TRACE(...)                                    \
	do {                                          \
		if (__builtin_expect(sim_tracing, 0)) \
			trace_note(__VA_ARGS__);      \
	} while (0)
/* `count` things of `size` bytes from `start` are called like "cpu%u.loaded". In set-up. */
void trace_name(const void *start, size_t size, unsigned count, size_t stride, const char *format);
/* A hash over all that happened, kept also when not tracing: two runs are equal if theirs are. */
extern uint64_t sim_hash;
static inline void sim_hash_add(uint64_t value)
{
	/* Where a compiler puts things is no matter: a pointer is a pointer. */
	if (value - (uint64_t)(uintptr_t)sim_data_start < (uint64_t)(sim_data_end - sim_data_start))
		value = (uint64_t)1 << 63;
	sim_hash = (sim_hash ^ value) * 0x9e3779b97f4a7c15u;
	sim_hash ^= sim_hash >> 29;
}

#endif /* SIM_H */
