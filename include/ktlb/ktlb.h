/* SPDX-License-Identifier: MIT */
/*
 * ktlb: the address spaces that a kernel's CPUs run in, and the coherence of their TLBs.
 *
 * This is the reference of every call. A comment says what the call does, then:
 *   Context   which CPU and thread may call it, interrupts, preemption, whether it may spin
 *   Ordering  what the caller's memory accesses may rely on
 *   Fails     the sentences by which wrong use ends in ktlb_port_fail
 *
 * The order of a start:
 *   1. the boot CPU:     ktlb_init, then ktlb_cpu_online
 *   2. every other CPU:  ktlb_cpu_online, before its first user address space
 *   3. then              ktlb_space_init, ktlb_switch, ktlb_flush_*
 * A CPU goes by ktlb_cpu_offline and may come back by ktlb_cpu_online.
 *
 * All structs are the caller's memory, and stay where they are while in use. Those of zero bytes
 * are "not initialised", which every call notices.
 */
#ifndef KTLB_H
#define KTLB_H

#include <stdint.h>

#include <ktlb/config.h>
#include <ktlb/cpuset.h>
#include <ktlb_arch/half.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KTLB_VERSION        "0.1.0"
#define KTLB_VERSION_NUMBER 0x000100

/* ---- life -------------------------------------------------------------------------------------*/

/* Errata: what the kernel has found on any of its CPUs. Bits for ktlb_config.errata. */
enum {
	/*
	 * arm64: a TLBI and its DSB may end before everything that used the old translation is
	 * visible; each completion then repeats both (CVE-2025-10263 and the older family of
	 * "repeat TLBI" errata). Needed as soon as one CPU of the machine is affected.
	 */
	KTLB_ERRATUM_REPEAT_TLBI = 1u << 0,
	/*
	 * x86-64: INVLPG may leave global entries of an address while PCIDs are on (Alder Lake and
	 * its time, until mended by microcode). With PCIDs a flush of the kernel's half is then one of
	 * everything.
	 */
	KTLB_ERRATUM_INVLPG_GLOBAL = 1u << 1,
	KTLB_ERRATUM_ALL = (1u << 2) - 1,
};

/* Features, for ktlb_config.without and ktlb_features. */
enum {
	KTLB_FEATURE_TLBI_RANGE = 1u << 0,   /* arm64 FEAT_TLBIRANGE */
	KTLB_FEATURE_TTL = 1u << 1,          /* arm64 FEAT_TTL: level hints */
	KTLB_FEATURE_PCID = 1u << 2,         /* x86-64 */
	KTLB_FEATURE_INVPCID = 1u << 3,      /* x86-64 */
	KTLB_FEATURE_GLOBAL_PAGES = 1u << 4, /* x86-64: CR4.PGE, which the kernel sets */
	KTLB_FEATURE_CNP = 1u << 5,          /* arm64 FEAT_TTCNP, with KTLB_CFG_ARM64_CNP alone */
	KTLB_FEATURE_ALL = (1u << 6) - 1,
};

/*
 * What flushes cost on this machine, all in one unit: the invalidation of a page, that of everything, and
 * the refill of what was still needed. page == 0: not known.
 */
struct ktlb_costs {
	uint32_t page, full, refill;
};

struct ktlb_config {
	/* How many CPUs will ever be online at once; 1 .. KTLB_CFG_MAX_CPUS. Bounds the ids. */
	uint32_t cpus;

	/*
	 * How many ids to use, id 0 (never handed out) included; 0 = all that the hardware has.
	 * At least cpus + 2: at a rollover every CPU may keep the id that it is running under, and
	 * one more must be free. x86-64: 0, for ids are per CPU there.
	 */
	uint32_t id_limit;

	/*
	 * The physical address that is in the root register while no user space is. arm64: an empty
	 * table, a granule of zeroes that stays zero. x86-64: the kernel's own page table.
	 */
	uint64_t kernel_root;

	/*
	 * A flush of so many leaves or more that would take one instruction a leaf flushes the
	 * whole space instead. 0: as many as cost what a full flush and its refill do, by `costs`;
	 * if those are not known KTLB_FULL_FLUSH_STRIDES (x86-64: 34).
	 */
	uint32_t full_flush_strides;
	struct ktlb_costs costs;

	/*
	 * KTLB_ERRATUM_*: what to work around, mostly what ktlb_errata says, and more if you want; and
	 * what not to work around all the same.
	 */
	uint32_t errata;
	uint32_t without_errata;
	uint32_t without; /* KTLB_FEATURE_*: what not to use although the CPUs have it */

	/*
	 * With KTLB_CFG_WATCHDOG: how long another CPU may take to answer before that is reported,
	 * in units of ktlb_port_clock. 0 = for ever.
	 */
	uint64_t watchdog;
};

/*
 * The default of full_flush_strides. 512 pages are one full last-level table of a 4 KiB granule,
 * where the origin's "before" gives up: 120826 ns for 256 pages, 1508 ns for the whole id
 * (origin O2, machine without ranges).
 */
#define KTLB_FULL_FLUSH_STRIDES 512u

/*
 * Starts the library, or starts it afresh: whatever it held before is forgotten, on memory of any
 * content; the states of CPUs and the spaces that were in use must be zeroed then. Reads the ID and
 * translation registers of this CPU; every later CPU must match them.
 *
 * Context: the boot CPU, alone, its MMU on with final TCR.
 * Fails:   "ktlb_init: cpus must be 1 to KTLB_CFG_MAX_CPUS"
 *          "ktlb_init: id_limit is larger than what the hardware has"
 *          "ktlb_init: id_limit is too small: cpus + 2 ids are needed"
 *          "ktlb_init: kernel_root must be a table's physical address, aligned to a granule"
 *          "ktlb_init: unknown bit in errata or without"
 *          x86-64: "ktlb_init: id_limit must be 0 where ids are per CPU"
 *          and those of ktlb_cpu_online on registers
 */
#define KTLB_PASTE_(a, b) a##b
#define KTLB_PASTE(a, b)  KTLB_PASTE_(a, b)
#define ktlb_init                                                      \
	KTLB_PASTE(KTLB_PASTE(ktlb_init_max_cpus_, KTLB_CFG_MAX_CPUS), \
	           KTLB_PASTE(_cache_line_, KTLB_CFG_CACHE_LINE))
void ktlb_init(const struct ktlb_config *config);

/*
 * KTLB_FEATURE_* that are in use: every CPU has them and `without` did not take them away. INVPCID goes
 * with PCID. 0 before ktlb_init.
 */
uint32_t ktlb_features(void);

/*
 * Errata as data. Who a CPU is, as it says itself:
 *             id                                          vendor               microcode
 *   arm64     MIDR_EL1                                    0                    0
 *   x86-64    CPUID leaf 1: EAX, and ECX above it         CPUID leaf 0: EBX    its revision, 0: unknown
 *
 * ktlb_errata: KTLB_ERRATUM_* that one of these CPUs has, for ktlb_config.errata. Hand over every CPU
 * that the machine can have: the workarounds are needed on all as soon as one is affected. It reads
 * nothing of the machine, so it can be called before ktlb_init.
 * ktlb_errata_print: a line for each kind of CPU that has one, whether it is worked around, and what is
 * worked around because the kernel wants it.
 * ktlb_errata_used: what is worked around. 0 before ktlb_init.
 *
 * Context: any; that of `print`.
 */
struct ktlb_identity {
	uint64_t id;
	uint32_t vendor, microcode;
};
/* Prints a line that does not end in a newline; `arg` is the caller's. */
typedef void ktlb_print_line(void *arg, const char *line);
uint32_t ktlb_errata(const struct ktlb_identity *cpus, uint32_t count);
void ktlb_errata_print(const struct ktlb_identity *cpus, uint32_t count, ktlb_print_line *print,
                       void *arg);
uint32_t ktlb_errata_used(void);

/*
 * How many ids are in use, id 0 included. 0 before ktlb_init. x86-64: of each CPU; 1 without PCIDs, the
 * kernel's 0 alone.
 */
uint32_t ktlb_id_limit(void);

/*
 * What is counted (KTLB_CFG_COUNT), a CPU each.
 *
 *   SWITCH_SAME   ktlb_switch to what was loaded already: nothing to do
 *   SWITCH_HIT    ktlb_switch without the lock
 *   SWITCH_SLOW   ktlb_switch through the allocator
 *   ENTER_LAZY    ktlb_enter_lazy that took a user space off
 *   ID_NEW        ids handed out
 *   ROLLOVER      times that all ids were used up
 *   FLUSH_OWED    this CPU's own full flush, owed since a rollover
 *   FLUSH_PAGE    ktlb_flush_page
 *   FLUSH_RANGE   ktlb_flush_range
 *   FLUSH_SPACE   ktlb_flush_space
 *   FLUSH_KERNEL  ktlb_flush_kernel_range
 *   FLUSH_LOCAL   flushes that were not broadcast (KTLB_CFG_ARM64_LOCAL): a FLUSH_* above too
 *   FLUSH_WIDENED flushes of pages or a range that became one of everything: a FLUSH_* above too
 *   FLUSH_POST    ktlb_flush_post and ktlb_flush_post_space
 *   FLUSH_GATHER  flushes of what was gathered
 *   GATHER_MET    ktlb_gather_found_empty that met another gather, and so has to be flushed
 *   PLAN_LEAVES   flushes of a range that were done leaf by leaf
 *   PLAN_RANGES   flushes of a range that were done by range instructions
 *   PLAN_COVERED  of those the ones that took more than was asked for, by KTLB_CFG_TLBI_COVER
 *   FIX_SPURIOUS  ktlb_fix_spurious
 *   SKIP_NEVER_RAN  flushes with nothing to do: the space never had an id, so no CPU has it cached
 *   SKIP_EMPTY    flushes of a range of no bytes
 * and where other CPUs are told by interrupt (x86-64):
 *   REQUEST       requests to other CPUs, one a CPU
 *   INTERRUPT     interrupts sent for them: less, where a CPU's queue was not empty
 *   SKIP_LAZY     CPUs of the mask that got none because they are lazy
 *   SKIP_OTHER    CPUs of the mask that got none because they run another space
 *   HANDLED       requests served, this CPU's own included
 *   HANDLED_RANGE      by invalidating what was asked for
 *   HANDLED_FULL       by invalidating everything of the space
 *   HANDLED_LAZY       by leaving the space: this CPU was lazy
 *   HANDLED_SATISFIED  with nothing to do, as the request's own number told (origin O5)
 *   HANDLED_CAUGHT_UP  with nothing to do, as the space's generation told
 *   HANDLED_OTHER      with nothing to do: another space is loaded
 *   GENERATION_READ    reads of a space's generation while serving requests
 *   SWITCH_FLUSH  switches that had to empty what was cached under the id
 *   LAZY_FLUSH    returns from lazy mode that had to
 *   MASK_RMW      read-modify-writes of a CPU mask
 *   SKIP_OFFLINE  CPUs of the mask that got none because they are not online
 *   INTERRUPT_AGAIN  interrupts that the watchdog has sent again
 */
enum ktlb_counter {
	KTLB_COUNT_SWITCH_SAME,
	KTLB_COUNT_SWITCH_HIT,
	KTLB_COUNT_SWITCH_SLOW,
	KTLB_COUNT_ENTER_LAZY,
	KTLB_COUNT_ID_NEW,
	KTLB_COUNT_ROLLOVER,
	KTLB_COUNT_FLUSH_OWED,
	KTLB_COUNT_FLUSH_PAGE,
	KTLB_COUNT_FLUSH_RANGE,
	KTLB_COUNT_FLUSH_SPACE,
	KTLB_COUNT_FLUSH_KERNEL,
	KTLB_COUNT_FLUSH_LOCAL,
	KTLB_COUNT_FLUSH_WIDENED,
	KTLB_COUNT_FLUSH_POST,
	KTLB_COUNT_FLUSH_GATHER,
	KTLB_COUNT_GATHER_MET,
	KTLB_COUNT_PLAN_LEAVES,
	KTLB_COUNT_PLAN_RANGES,
	KTLB_COUNT_PLAN_COVERED,
	KTLB_COUNT_FIX_SPURIOUS,
	KTLB_COUNT_SKIP_NEVER_RAN,
	KTLB_COUNT_SKIP_EMPTY,
	KTLB_COUNT_REQUEST,
	KTLB_COUNT_INTERRUPT,
	KTLB_COUNT_SKIP_LAZY,
	KTLB_COUNT_SKIP_OTHER,
	KTLB_COUNT_HANDLED,
	KTLB_COUNT_HANDLED_RANGE,
	KTLB_COUNT_HANDLED_FULL,
	KTLB_COUNT_HANDLED_LAZY,
	KTLB_COUNT_HANDLED_SATISFIED,
	KTLB_COUNT_HANDLED_CAUGHT_UP,
	KTLB_COUNT_HANDLED_OTHER,
	KTLB_COUNT_GENERATION_READ,
	KTLB_COUNT_SWITCH_FLUSH,
	KTLB_COUNT_LAZY_FLUSH,
	KTLB_COUNT_MASK_RMW,
	KTLB_COUNT_SKIP_OFFLINE,
	KTLB_COUNT_INTERRUPT_AGAIN,
	KTLB_COUNTERS
};

struct ktlb_space;

/* A part of what a flush covers: `pages` granules from `va`, stepped by what one entry maps. */
struct ktlb_span {
	uint64_t va, pages;
	uint32_t step_shift;
	uint32_t what; /* enum ktlb_what of the library */
};

#if KTLB_ARCH_INTERRUPTS
/*
 * What a CPU asks of others: filled by its owner, read by those asked until they have answered. No
 * pages: everything, or `spans` spans if `what` says that it was gathered.
 */
struct ktlb_request {
	struct ktlb_space *space; /* null: the kernel's half, or everything */
	uint64_t generation; /* of the space after the change; 0: none, flush unconditionally */
	union {
		uint64_t va;
		const struct ktlb_span *span;
	};
	uint64_t pages;
	union {
		uint32_t step_shift;
		uint32_t spans;
	};
	uint32_t what; /* enum ktlb_what of the library */
	uint64_t sequence;
};

/* One request on its way to one CPU: in that CPU's queue until it has answered. */
struct ktlb_call {
	struct ktlb_call *next;
	struct ktlb_request *request;
	uint64_t done; /* the sequence of the last request that was answered */
} __attribute__((aligned(KTLB_CFG_CACHE_LINE)));

/* What is cached under one id of this CPU: of which space, and clean up to which generation. */
struct ktlb_slot {
	uint64_t space_id; /* 0 = none */
	uint64_t clean;
	uint64_t tag; /* what the root register takes beside the root; constant */
};
#define KTLB_SLOTS 6

/*
 * ktlb's state of one CPU. The kernel gives the memory, one a CPU, near that CPU if it can; the
 * fields are ktlb's own. `call` has a record for each CPU that may be asked, so that all of them
 * together grow with the square: with cache lines of 64 bytes a CPU has 1.2 KiB for 8 CPUs, 4.7 KiB
 * for 64, 17 KiB for 256 and 65 KiB for 1024.
 *
 * Each group of fields has a line of its own: flushers read the first and `lazy` of all CPUs that
 * they may have to ask, and write `queue`; the request is read by those asked.
 */
struct ktlb_cpu {
	struct ktlb_space *loaded; /* by this CPU; null: the kernel's root; or KTLB_SWITCHING */

	uint64_t offset __attribute__((aligned(KTLB_CFG_CACHE_LINE))); /* the per-CPU base */
	uint32_t number;
	uint32_t magic;
	uint32_t next_victim;
	uint32_t user_stale; /* a bit a slot: its user's id is to be emptied on the way out */
	struct ktlb_slot *loaded_slot;
	struct ktlb_slot slot[KTLB_SLOTS];

	uint64_t lazy __attribute__((aligned(KTLB_CFG_CACHE_LINE))); /* by this CPU */

	struct ktlb_call *queue __attribute__((aligned(KTLB_CFG_CACHE_LINE))); /* by all */

	struct ktlb_request request __attribute__((aligned(KTLB_CFG_CACHE_LINE)));

	struct ktlb_cpuset asked __attribute__((aligned(KTLB_CFG_CACHE_LINE))); /* by `request` */
	uint64_t count[KTLB_COUNTERS];

	struct ktlb_call call[KTLB_CFG_MAX_CPUS];
} __attribute__((aligned(KTLB_CFG_CACHE_LINE)));
#else
/*
 * ktlb's state of one CPU. The kernel gives the memory, one a CPU, near that CPU if it can; the
 * fields are ktlb's own.
 */
struct ktlb_cpu {
	/*
	 * The first line belongs to this CPU; the others look at it in a rollover and a destroy
	 * only. `active` is the id that the CPU runs under: changed by the CPU itself with a
	 * compare-and-exchange or under the allocator's lock, exchanged for 0 by a rollover.
	 */
	uint64_t active;
	struct ktlb_space *loaded; /* by this CPU only; null: none */
	uint64_t reserved;         /* under the allocator's lock, as `leaving` */
	uint64_t leaving;
	uint32_t number;
	uint32_t magic;
	uint8_t padding[KTLB_CFG_CACHE_LINE - 40];

	uint64_t count[KTLB_COUNTERS + 2]; /* by this CPU; the last two are spare */
} __attribute__((aligned(KTLB_CFG_CACHE_LINE)));
#endif

/*
 * Makes this CPU known and gives it its per-CPU state, which must be zero bytes; or, if the CPU has
 * been online before, what ktlb_cpu_offline left. It then runs in no user space, as after
 * ktlb_enter_lazy, its TLB empty of everything, global entries too. With
 * KTLB_CFG_PERCPU == KTLB_OWN this also sets the per-CPU base register (see ktlb/cpu.h).
 *
 * Context: the CPU itself, interrupts off, final page table and TCR, before its first user space.
 *          x86-64: its local APIC accepts the interrupt of ktlb_port_send_ipi, which may stay pending;
 *          and no table of the kernel's half is freed from when the CPU has a kernel's root until this
 *          returns, since nobody asks a CPU that is not known yet.
 * Fails:   "ktlb_cpu_online: ktlb_init has not run"
 *          "ktlb_cpu_online: CPU number is not below KTLB_CFG_MAX_CPUS"
 *          "ktlb_cpu_online: more CPUs than ktlb_config.cpus"
 *          "ktlb_cpu_online: this CPU number is online already"
 *          "ktlb_cpu_online: the state of a CPU must be aligned to a cache line"
 *          "ktlb_cpu_online: the state of a CPU must be zero bytes"
 *          "ktlb_cpu_online: a CPU that comes back must bring the state that it had"
 *          "ktlb_cpu_online: the original of ktlb_percpu is nobody's state"
 *          "ktlb_cpu_online: interrupts must be off"
 *          "ktlb_cpu_online: this CPU has fewer id bits than ktlb_config.id_limit needs"
 *          "ktlb_cpu_online: this CPU lacks TLB features that the boot CPU has"
 *          "ktlb_cpu_online: ktlb_port_this_cpu() does not answer this CPU's state"
 *          "ktlb_cpu_online: ktlb_cpu_id() does not answer this CPU's number"
 *          arm64: "ktlb_cpu_online: TCR_EL1.A1 differs from KTLB_CFG_ARM64_ASID_IN_TTBR1"
 *                 "ktlb_cpu_online: TCR_EL1.TG0 or TG1 differs from KTLB_CFG_ARM64_GRANULE_SHIFT"
 *                 "ktlb_cpu_online: TCR_EL1.DS differs from KTLB_CFG_ARM64_LPA2"
 */
void ktlb_cpu_online(uint32_t cpu, struct ktlb_cpu *state);

/*
 * Takes this CPU out: it leaves its space, is kept no id, gets no more requests, and has answered those
 * that were on their way. It stays out, running on the kernel's half alone, until it calls
 * ktlb_cpu_online again, however it comes back: with the number and the state that it had, the
 * state untouched. Meanwhile other CPUs flush without it.
 *
 * On that way it may use nothing of the kernel's half that is changed, since nobody tells it. x86-64: its
 * walker may still look ahead through tables of the kernel's half: free none before the CPU is
 * halted for good. An interrupt of ktlb_port_send_ipi may still arrive and is harmless.
 *
 * Context: the CPU itself, interrupts off; no thread with a user half goes on here. arm64: spins for the
 *          allocator's lock. x86-64: takes no lock and waits for nobody.
 * Ordering: full barrier. arm64: completes the invalidations that this CPU has begun.
 * Fails:   "ktlb_cpu_offline: interrupts must be off"
 *          "ktlb_cpu_offline: this CPU is not online"
 */
void ktlb_cpu_offline(void);

/*
 * For a CPU that loses its registers and goes on with the same thread, as the last one does when the
 * machine sleeps: ktlb_cpu_offline and ktlb_cpu_online, and in between *to remembers which CPU it is and
 * the space that it has loaded, which must not be destroyed meanwhile. Resume when its registers are as
 * ktlb_cpu_online wants them.
 *
 * Context, ordering and fails: those of ktlb_cpu_offline, as "ktlb_cpu_suspend: ..."; of
 *          ktlb_cpu_online and ktlb_switch.
 */
struct ktlb_suspended {
	struct ktlb_cpu *state;
	struct ktlb_space *space; /* null: none */
	uint32_t cpu;
};
void ktlb_cpu_suspend(struct ktlb_suspended *to);
void ktlb_cpu_resume(const struct ktlb_suspended *from);

/*
 * One user address space, embedded in the kernel's own descriptor of it. The fields are ktlb's.
 */
struct ktlb_space {
	/*
	 * arm64: generation and number, 0 = none yet; under the allocator's lock. x86-64: a number that
	 * no other space has or had; constant.
	 */
	uint64_t id;
	uint64_t root;           /* constant */
	struct ktlb_space *self; /* its own address, while it is initialised */
#if !KTLB_ARCH_INTERRUPTS
	/* How often it is pinned, and whether a rollover leaves its number; under the lock, too. */
	uint32_t pins, keeps;
	uint64_t
		owner; /* KTLB_CFG_ARM64_LOCAL: where it has run: 0 nowhere, a CPU + 1, or several */
#endif
#if KTLB_ARCH_INTERRUPTS
	uint64_t user_root; /* KTLB_CFG_SPLIT_IDS: what user mode runs under */
	/* Raised by every change that needs a flush. */
	uint64_t generation __attribute__((aligned(KTLB_CFG_CACHE_LINE)));
	/* CPUs that may have it loaded: set by a CPU that loads it, cleared by one that has not. */
	struct ktlb_cpuset cpus __attribute__((aligned(KTLB_CFG_CACHE_LINE)));
#endif
	/* How many are open. A line of its own, for every switch reads the id. */
	uint32_t gathers __attribute__((aligned(KTLB_CFG_CACHE_LINE)));
};

/*
 * Begins a space. `root` is the physical address of its top-level table, with whatever attribute
 * bits the root register takes beside it (arm64: CnP, bit 0, must be clear); they pass through
 * untouched. Costs nothing: the space gets an id when it first runs.
 *
 * Context: any; the space is the caller's alone.
 * Fails:   "ktlb_space_init: ktlb_init has not run"
 *          "ktlb_space_init: the space is in use"     (destroy it first; new memory must be zero)
 *          "ktlb_space_init: root has bits that ktlb or the architecture needs clear"
 */
void ktlb_space_init(struct ktlb_space *space, uint64_t root);

/*
 * Ends a space that no thread will run in again. When it returns no CPU has the root loaded, or
 * is still walking from it: its tables and pages may be freed, the struct may be reused. arm64:
 * one invalidation of the id, of which nothing is left in any TLB.
 * This CPU may have it loaded: it is then left lazy. Another one cannot but lazily: a CPU without a
 * thread to run has called ktlb_enter_lazy, which took it off (arm64), or leaves it now, when asked
 * (x86-64, where this may therefore wait as a flush does).
 *
 * Context: any thread, preemption off. arm64: spins for the allocator's lock, if at all, and waits for no
 *          other CPU. x86-64: waits as a flush does, takes no lock.
 * Ordering: full barrier.
 * Fails:   "ktlb_space_destroy: the space is not initialised"
 *          "ktlb_space_destroy: another CPU has the space loaded"
 *          arm64: "ktlb_space_destroy: the space is pinned"
 *          "ktlb_space_destroy: a gather of the space has not been flushed"
 */
void ktlb_space_destroy(struct ktlb_space *space);

/*
 * Measures what flushes cost on this CPU, and lets them decide from now on where a flush by leaf ends
 * and one of everything begins, whatever ktlb_config said. `memory`: `size` bytes of the kernel's half,
 * mapped by pages, as much as a thread uses between two flushes: it is read after a flush and without
 * one, and the difference is the refill. Returns the costs, in 64ths of the clock's unit, so that
 * another boot can have them by ktlb_config; zeroes, and all as before, if the clock stands still.
 * An emulator's costs are no machine's.
 *
 * Context: a CPU that is online, interrupts off; no flush is under way on any CPU. Takes as long as some
 *          thousand single invalidations.
 * Fails:   "ktlb_calibrate: interrupts must be off"
 *          "ktlb_calibrate: this CPU is not online"
 */
#if KTLB_CFG_CLOCK
struct ktlb_costs ktlb_calibrate(const void *memory, uint64_t size);
#endif

/* The limit of leaves that is in force, wherever it came from. */
uint32_t ktlb_full_flush_strides(void);

/* ---- ids --------------------------------------------------------------------------------------*/

#if !KTLB_ARCH_INTERRUPTS
/*
 * Where ids are per system (arm64) a number can be kept: for a device that walks a space's tables under
 * it, or because somebody outside wants a certain one. x86-64 has no such calls: ids are per CPU, and
 * PCIDs above ktlb_id_limit() are never used by ktlb.
 *
 * Each number that is kept is one less for everybody else, and a rollover must find one for each CPU and
 * one more. So at most ktlb_id_limit() - 2 - ktlb_config.cpus are, pinned and reserved together; the
 * call that would be one too many returns 0 and changes nothing.
 *
 * ktlb_id_reserve: this number is never handed out, except by a ktlb_ids_pin that names it. There is
 * no way back. Returns 1; or 0 if the limit is reached, the number is not 1 .. ktlb_id_limit() - 1,
 * or has been handed out or reserved: so reserve before the first ktlb_switch.
 * Context: any, after ktlb_init. Spins for the allocator's lock.
 * Fails:   "ktlb_id_reserve: ktlb_init has not run"
 *
 * ktlb_ids_pin: from now on, until as many ktlb_ids_unpin, the space keeps its number, which is
 * returned. `number` is 0, or a reserved number, which becomes the space's: if no other space has it,
 * and this one has not run under another since ktlb_space_init. It then stays the space's, pinned or
 * not, until ktlb_space_destroy. Returns 0 if the limit is reached or that number cannot be had.
 * Context: any, spins for the allocator's lock.
 * Ordering: full barrier: who begins to walk under the number afterwards is reached by every flush that
 *          does not come before.
 * Fails:   "ktlb_ids_pin: the space is not initialised"
 *
 * ktlb_ids_unpin: a device that walked under the number has stopped; flush the space first if it
 * keeps translations of its own, for what a rollover empties is the TLBs of CPUs.
 * Context: as ktlb_ids_pin.
 * Fails:   "ktlb_ids_unpin: the space is not pinned"
 */
int ktlb_id_reserve(uint32_t number);
uint32_t ktlb_ids_pin(struct ktlb_space *space, uint32_t number);
void ktlb_ids_unpin(struct ktlb_space *space);
#endif

/* ---- scheduler --------------------------------------------------------------------------------*/

/*
 * Loads a space on this CPU. Call it at every switch to a user thread, also between threads of one
 * space (it is then short): it completes the flushes which the outgoing thread has begun here and
 * will go on with elsewhere.
 *
 * Context: interrupts off, CPU online. arm64: may spin for the allocator's lock. x86-64: takes no lock
 *          and waits for nobody.
 * Ordering: full barrier at its beginning, before the id (x86-64: the generation) of `next` is read.
 *          What follows it in the program runs under the new root.
 * Fails:   "ktlb_switch: interrupts must be off"
 *          "ktlb_switch: the space is not initialised"
 *          "ktlb_switch: this CPU is not online"   (if its per-CPU base register is 0; not noticed
 *                  on arm64 with both O1 and O3 switched back: it then takes itself for CPU 0)
 */
void ktlb_switch(struct ktlb_space *next);

/*
 * Leaves the user space on this CPU: for a switch to the idle thread or to any that has no user
 * half. arm64: the empty table is loaded. x86-64: the root stays, but nothing of the user's half may be
 * used until the next ktlb_switch, for flushes of leaves pass this CPU over. Calling it twice is
 * harmless.
 *
 * Context and ordering: as ktlb_switch.
 * Fails:   "ktlb_enter_lazy: interrupts must be off"
 *          "ktlb_enter_lazy: this CPU is not online"
 */
void ktlb_enter_lazy(void);

/*
 * The way to user mode and back, with KTLB_CFG_SPLIT_IDS.
 *
 * x86-64. ktlb_space_user_root: what user mode runs under, a table with the same user's half and of the
 * kernel's only what entries need; before the first switch to the space. Without this call it is the
 * space's root, under the other id.
 * ktlb_exit_cr3: what CR3 has to be in user mode, now; and, in *entry, what it has to be again at the next
 * entry from there. What flushes have left to do under the user's id is done by that load, so it must
 * come, with no interrupt and no call of ktlb in between.
 * Context: ktlb_exit_cr3: interrupts off, on the way to user mode: the space is loaded, and not lazily.
 * Fails:   "ktlb_space_user_root: the space is not initialised"
 *          "ktlb_space_user_root: root has bits that ktlb or the architecture needs clear"
 *          "ktlb_exit_cr3: interrupts must be off"
 *          "ktlb_exit_cr3: no space is loaded"
 *
 * arm64. The user's ASID is the kernel's with bit 48 of TTBR1_EL1 set; the kernel does both ways itself,
 * with its table for user mode in the same write. A number (ktlb_ids_pin, ktlb_space_id, id_limit) is one
 * of a pair: its ASIDs are 2 * number for the kernel and 2 * number + 1 for the user, and for a device.
 */
#if KTLB_ARCH_INTERRUPTS && KTLB_CFG_SPLIT_IDS
void ktlb_space_user_root(struct ktlb_space *space, uint64_t user_root);
uint64_t ktlb_exit_cr3(uint64_t *entry);
#endif

/*
 * ktlb_handle_ipi: the handler of the interrupt that ktlb_port_send_ipi sends; x86-64 only.
 * Context: interrupts off, CPU online. It takes no lock and waits for nobody.
 * Fails:   "ktlb_handle_ipi: interrupts must be off"
 *
 * ktlb_poll: serves what other CPUs ask of this one, if anything. Call it in every loop that waits
 * with interrupts off: a CPU that flushes waits for all that it has asked. arm64: the hardware
 * serves; nothing is left to do, and no instruction is emitted.
 * Context: any.
 */
#if KTLB_ARCH_INTERRUPTS
void ktlb_handle_ipi(void);
void ktlb_poll(void);
#else
static inline void ktlb_poll(void)
{
}
#endif

/* ---- changes ----------------------------------------------------------------------------------*/

/*
 * After entries of the page table of `space` were changed, removes what TLBs hold of them, on every
 * CPU. When a flush returns, no CPU uses the entries that were there before the change, and whatever
 * they led to may be reused. Write the entries with ktlb_store_*, or anything else that cannot tear;
 * no barrier of the caller's is needed in between.
 *
 * The space is named, never an id: the id is read when the change is visible to every walker.
 *
 * Addresses are those that the tables translate, without a tag in their top byte.
 *
 * A flush takes it that tables may have been unlinked, too. KTLB_LEAF_ONLY says that only leaf
 * entries changed: cheaper, and wrong if a table was freed or replaced.
 *
 * A range is `size` bytes from `start`, which reaches the very top of the address space without
 * overflowing; no bytes are nothing to do, and no barrier. `leaf_size` is the size of all the leaf
 * entries in it (a contiguous run counts as one leaf), or 0 if they differ or you do not know. It is
 * what the range is stepped by and, with KTLB_LEAF_ONLY, what the hardware is told to look for: a
 * wrong one leaves entries behind. Start and end are rounded outwards to leaves. The leaf of
 * ktlb_flush_page is a page.
 *
 * Leaf entries of a user's half must not be global (arm64: nG set), and those of the kernel's must be,
 * unless x86-64's CR4.PGE is off or ids are split (KTLB_CFG_SPLIT_IDS: then they must not be).
 *
 * Context: any, interrupts on or off, preemptible; a kernel that lets the caller migrate calls
 *          ktlb_switch or ktlb_enter_lazy at each thread switch. arm64: does not wait for other
 *          CPUs, so any lock may be held. x86-64: waits for those that it has asked, serving them
 *          meanwhile; so hold no lock that another CPU spins for with interrupts off, unless it
 *          calls ktlb_poll there. On a CPU that is not online yet: arm64 only, if its per-CPU
 *          base register is 0 (and ktlb_port_this_cpu, if you have one, gives &ktlb_percpu).
 * Ordering: full barrier when it returns.
 * Fails:   "ktlb_flush: ktlb_init has not run"
 *          "ktlb_flush: the space is not initialised"
 *          x86-64: "ktlb_flush: this CPU is not online"
 *          "ktlb_flush: unknown flag"
 *          "ktlb_flush: an address is not in the half of the address space that it should be in"
 *          "ktlb_flush: leaf_size must be 0 or a power of two, a granule or more"
 *          "ktlb_flush: the range wraps around the end of the address space"
 */
enum {
	KTLB_LEAF_ONLY = 1u << 0,
};
void ktlb_flush_page(struct ktlb_space *space, uint64_t va, uint32_t flags);
void ktlb_flush_range(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                      uint32_t flags);
void ktlb_flush_space(struct ktlb_space *space);

/*
 * The same for the kernel's half, whatever ids its entries are cached under. When it returns, this
 * CPU's next instructions are fetched and executed under the change, too.
 */
void ktlb_flush_kernel_range(uint64_t start, uint64_t size, uint64_t leaf_size, uint32_t flags);

/*
 * After entries went from invalid to valid, for which there is nothing to flush: lets every walker
 * see them, and this CPU use them at once. Another CPU may take one more fault and should retry.
 * arm64: DSB ISHST; ISB.
 *
 * Context: any.
 */
void ktlb_publish(void);

/* ---- changes: flush now, wait later -----------------------------------------------------------*/

/* How many ranges one flush can have. */
#define KTLB_SPANS 4

/*
 * A flush that has begun. The memory is the caller's until its wait returns: other CPUs may read it. The
 * fields are ktlb's.
 */
struct ktlb_pending {
	struct ktlb_space *space; /* null: nothing is under way */
	struct ktlb_span span[KTLB_SPANS];
	uint32_t spans; /* 0: everything */
#if KTLB_ARCH_INTERRUPTS
	const struct ktlb_cpu *from; /* who has asked */
	uint64_t sequence;
	struct ktlb_cpuset asked;
#endif
};

/*
 * ktlb_flush_post begins a ktlb_flush_range, ktlb_flush_post_space a ktlb_flush_space; ktlb_flush_wait
 * ends it. In between the caller can drop its lock, or do what does not depend on the flush, while the
 * other CPUs do their part. Only after the wait is what the old entries led to free.
 *
 * Any number can be under way. A later flush takes an earlier one along, and its wait then finds
 * nothing to wait for. x86-64: a CPU has one request on its way at a time, so its next flush, posted or
 * not, first waits for the answers to the last. arm64: one DSB completes all that its CPU has begun.
 *
 * The wait is the posting thread's own, and may be on another CPU: x86-64 waits for what was asked, from
 * wherever it is; arm64 relies on the ktlb_switch or ktlb_enter_lazy by which the thread was taken
 * off the CPU where it posted, for only a DSB of that CPU completes what was begun there. A second wait,
 * and one for zero bytes, does nothing.
 *
 * Context: as the flushes. ktlb_flush_post on x86-64 may wait for the answers to the last request of
 *          this CPU, as a flush does. Neither holds anything until the other is called.
 * Ordering: entries written before ktlb_flush_post are what is flushed; full barrier when ktlb_flush_wait
 *          returns from a flush that was under way.
 * Fails:   as the flushes
 */
void ktlb_flush_post(struct ktlb_space *space, uint64_t start, uint64_t size, uint64_t leaf_size,
                     uint32_t flags, struct ktlb_pending *pending);
void ktlb_flush_post_space(struct ktlb_space *space, struct ktlb_pending *pending);
void ktlb_flush_wait(struct ktlb_pending *pending);

/* ---- changes: many, and one flush -------------------------------------------------------------*/

/*
 * What is to be freed after a flush, in a list. To embed in the kernel's descriptor of a page. Not in
 * the page itself: until the flush a thread may still write there, and a CPU walk through it.
 */
struct ktlb_gather_page {
	struct ktlb_gather_page *next;
};

struct ktlb_range {
	uint64_t start, last, leaf_size;
};

/* The caller's memory, from begin until the flush returns. The fields are ktlb's. */
struct ktlb_gather {
	struct ktlb_space *space; /* null: not begun */
	struct ktlb_gather_page *kept;
	struct ktlb_range range[KTLB_SPANS];
	uint32_t ranges;
	uint32_t tables; /* one was unlinked */
	struct ktlb_pending pending;
};

/*
 * Many changes of the page table of one space, with one flush at the end, after which the pages are free.
 *
 *   ktlb_gather_begin        before the first entry is changed
 *   ktlb_gather_add          leaf entries were changed: `leaf_size` as in ktlb_flush_range
 *   ktlb_gather_add_table    a table was unlinked. [va, va + size) is all that it mapped; or any one
 *                            page of that, if each leaf entry that was valid in it has been added
 *   ktlb_gather_found_empty  entries that were to be removed are not there: if another gather of the
 *                            space is open, it may have removed them and not flushed yet, so they are
 *                            flushed here, too. Costs nothing otherwise
 *   ktlb_gather_keep         a page or a table, to be given back when nobody can use it any more
 *   ktlb_gather_flush        flushes; returns the list of what was kept, which is free now
 *
 * ktlb_gather_flush is ktlb_gather_post, which begins the flush, and ktlb_gather_wait, which ends it
 * and returns the list: as ktlb_flush_post and ktlb_flush_wait. Nothing may be added in between.
 *
 * There is no limit to what is added or kept. Up to KTLB_SPANS ranges are held apart; beyond that they
 * grow together. Entries of other spaces, or of the kernel's half, do not go into a gather.
 *
 * Gathers of one space may be open at the same time, on several CPUs or one inside the other. Whoever
 * removes entries and finds them gone, or decides by anything else than a gather's calls that an address
 * is unmapped, asks ktlb_gather_pending: how many gathers of the space are open, the caller's own
 * included. While others are, what looks unmapped may still be in use.
 *
 * A lock under which addresses are given away again, or by which an entry is moved to where another
 * thread can remove it, is held until the flush is over.
 *
 * Context: as the flushes. Calls with one gather are one thread's.
 * Ordering: a page in the list, and what ktlb_gather_pending does not count any more: whatever other CPUs
 *          did by the old entries came before. ktlb_gather_flush is a full barrier if it had anything to
 *          flush.
 * Fails:   "ktlb_gather_begin: the space is not initialised"
 *          "ktlb_gather: the gather has not begun"     (zero bytes, or after its flush)
 *          and as the flushes
 */
void ktlb_gather_begin(struct ktlb_gather *gather, struct ktlb_space *space);
void ktlb_gather_add(struct ktlb_gather *gather, uint64_t va, uint64_t size, uint64_t leaf_size);
void ktlb_gather_add_table(struct ktlb_gather *gather, uint64_t va, uint64_t size);
void ktlb_gather_found_empty(struct ktlb_gather *gather, uint64_t va, uint64_t size);
void ktlb_gather_keep(struct ktlb_gather *gather, struct ktlb_gather_page *page);
void ktlb_gather_post(struct ktlb_gather *gather);
struct ktlb_gather_page *ktlb_gather_wait(struct ktlb_gather *gather);
struct ktlb_gather_page *ktlb_gather_flush(struct ktlb_gather *gather);
uint32_t ktlb_gather_pending(const struct ktlb_space *space);

/* ---- changes: which need what -----------------------------------------------------------------*/

/*
 * What the change of one entry of a page table needs, to the kernel's own or a user's half. A pure function:
 * it reads nothing but its arguments.
 *
 *   KTLB_NEED_NONE            nothing: no CPU can have anything cached that the new entry contradicts
 *   KTLB_NEED_LOCAL_ON_FAULT  nothing now: the new entry allows more. A CPU that still has the old one
 *                             faults, and then calls ktlb_fix_spurious
 *   KTLB_NEED_FLUSH           write the new entry, then flush
 *   KTLB_NEED_BREAK           write an invalid entry, flush, write the new one, ktlb_publish: no CPU may
 *                             have both cached at a time (break before make)
 *
 * Beside that number (KTLB_NEED_KIND masks it)
 *   KTLB_NEED_PUBLISH         ktlb_publish after the new entry is written. Set for the first two
 *   KTLB_NEED_TABLES          the old entry led to a table: the flush is without KTLB_LEAF_ONLY
 *
 * `old_entry` is what an atomic exchange of the entry has returned, if the hardware sets flags in it: it
 * may have just set one. `level` is 0 for the last level of tables, 1 for that above, and so on. `given`
 * is what the entries do not tell:
 *   KTLB_GIVEN_SAME_TRANSLATION  where a table takes the place of a block, of another table, or the
 *                             reverse: both map the same addresses to the same memory in the same way
 *   KTLB_GIVEN_ACCESSED_FLUSHED  the accessed flag is never cleared without a flush. An entry without it
 *                             is then in no TLB; and clearing it needs a flush
 *   KTLB_GIVEN_BBM_1, _BBM_2  arm64: every CPU has FEAT_BBM at this level (ID_AA64MMFR2_EL1.BBM), and
 *                             the kernel copes with TLB conflict aborts, should they come. Level 1 counts
 *                             for blocks with nT set
 * With nothing given the answer is right on every machine.
 *
 * Where nothing is known of the rest it takes the stronger answer: a change of a user's access (arm64 AP[1],
 * x86-64 U/S), which takes something from the kernel where it must not use what users can, is a flush.
 * x86-64: not for shadow stacks (CR4.CET), whose entries mean something else by the same bits.
 *
 * Context: any, before ktlb_init too.
 */
enum {
	KTLB_NEED_NONE = 0,
	KTLB_NEED_LOCAL_ON_FAULT = 1,
	KTLB_NEED_FLUSH = 2,
	KTLB_NEED_BREAK = 3,
	KTLB_NEED_KIND = 3,
	KTLB_NEED_PUBLISH = 1u << 2,
	KTLB_NEED_TABLES = 1u << 3,
};
enum {
	KTLB_GIVEN_SAME_TRANSLATION = 1u << 0,
	KTLB_GIVEN_ACCESSED_FLUSHED = 1u << 1,
	KTLB_GIVEN_BBM_1 = 1u << 2,
	KTLB_GIVEN_BBM_2 = 1u << 3,
};
uint32_t ktlb_need_flush(uint64_t old_entry, uint64_t new_entry, uint32_t level, uint32_t given);

/*
 * After a fault at `va` in `space` that the entries do not explain, since they allow the access: removes
 * what this CPU alone has cached of the address, so that the next try finds the entries. If the thread
 * moves before it tries again, another CPU may fault once more, and is treated alike.
 *
 * Context: any, preemptible, CPU online.
 * Ordering: none
 * Fails:   "ktlb_fix_spurious: the space is not initialised"
 *          "ktlb_flush: an address is not in the half of the address space that it should be in"
 */
void ktlb_fix_spurious(struct ktlb_space *space, uint64_t va);

/* ---- look -------------------------------------------------------------------------------------*/

struct ktlb_stats {
	uint64_t count[KTLB_COUNTERS];
};

/*
 * Adds the counts of all CPUs that have been online to *sum, and what CPUs counted before they came
 * online. Exact when nothing is going on.
 *
 * Context: any.
 */
void ktlb_stats_add(struct ktlb_stats *sum);

/* "switch_hit", …: the name of a counter, for printing. */
const char *ktlb_counter_name(enum ktlb_counter counter);

/*
 * A line for each counter that is not 0: its name, the sum of all CPUs, and the CPU that has most of it.
 *
 * Context: any; that of `print`.
 */
void ktlb_stats_print(ktlb_print_line *print, void *arg);

/*
 * The id that a space has now. arm64: 0 if none; the number in the low 16 bits, the generation above;
 * it can be another one a moment later. For debuggers and tests.
 */
uint64_t ktlb_space_id(const struct ktlb_space *space);

/*
 * May this CPU use the user's half of this space, now? For handlers of what no masking stops (NMI), which
 * may come in the middle of a switch or a flush: it takes no lock, writes nothing and looks at the root
 * register. arm64: the root is loaded. x86-64: that, and nothing that is cached under it is out of date:
 * so no while the CPU is lazy, and perhaps no while a change is on its way. After a yes it stays so until
 * the handler returns, for what is then mapped; who unmaps must not wait for less than a flush.
 *
 * Context: any in which the caller stays on this CPU. The CPU has been online, the space initialised.
 */
int ktlb_loaded(const struct ktlb_space *space);

/*
 * Verifies what must always hold of the ids. Null if all is well, else a sentence. arm64: each number
 * that a CPU runs under, or keeps since a rollover, is allotted, and each that is pinned or reserved; no
 * two CPUs hold one number under different ids; id 0 is never held. x86-64, of this CPU: CR3 holds the loaded space's root under the
 * slot's PCID, or the kernel's root; the slot in use is the loaded space's, and clean up to no generation
 * that has not been; the CPU is in the space's set.
 *
 * Context: interrupts off. arm64: spins for the allocator's lock, costs as much as a rollover.
 * Fails:   "ktlb_audit: interrupts must be off"
 */
const char *ktlb_audit(void);

/* ---- is the port right? -----------------------------------------------------------------------*/

/* What ktlb_selftest needs of the kernel; `arg` is the kernel's, and handed to each function. */
#define KTLB_SELFTEST_NOTHING (-1)
struct ktlb_selftest_ops {
	void *arg;
	ktlb_print_line *print;

	/*
	 * Runs function(data) on that CPU, in a thread without a user space or in an interrupt other
	 * than ktlb's, interrupts off, and returns when it is done. Meanwhile the caller's CPU has
	 * interrupts on, or polls.
	 */
	void (*run_on)(void *arg, uint32_t cpu, void (*function)(void *data), void *data);

	uint32_t (*hardware_cpu)(
		void *arg); /* this CPU's number by the hardware; null: not asked */

	/* A clock, and how long the answer to an interrupt may take on it. */
	uint64_t (*clock)(void *arg);
	uint64_t patience;

	/*
	 * A page of the kernel's half that nobody else uses, at `va`, and two frames for it, which look
	 * different. show: writes its entry, for frame 0 or 1, or an invalid one for
	 * KTLB_SELFTEST_NOTHING, and flushes nothing. look: which of them this CPU sees there, by a read
	 * that survives a fault.
	 */
	uint64_t va;
	void (*show)(void *arg, int frame);
	int (*look)(void *arg);

	/* Two spaces or more, initialised, for the test alone: they are run, but nothing in them is used. */
	struct ktlb_space *space;
	uint32_t spaces;
};

/*
 * For a kernel that has just got ktlb, and at any boot: are the port and its CPUs what ktlb takes them to
 * be? Asks every CPU that is online for its number, sends each an interrupt, changes a page under the
 * eyes of all, runs spaces on all. Prints a verdict a line; a fault names the CPU. Returns how many
 * faults there were.
 *
 * Context: a thread, interrupts on; no CPU comes or goes, and CPUs that are asked neither poll all the
 *          time nor have interrupts off, or the interrupt is not what is tested.
 * Fails:   "ktlb_selftest: ktlb_init has not run", and as the calls that it makes
 */
int ktlb_selftest(const struct ktlb_selftest_ops *ops);

#ifdef __cplusplus
}
#endif

#endif /* KTLB_H */
