/* SPDX-License-Identifier: MIT */
/*
 * A fake x86-64 machine for unit tests: CR3, CR4 and the GS base of each CPU, a log of the privileged
 * instructions, a TLB, interrupts that arrive while somebody waits, and ktlb's port.
 *
 * The TLB is kept as the set of what could be cached, per PCID and page the version of the entry:
 * fake_touch and fake_walk fill it, INVLPG, INVPCID and MOV to CR3 empty it as the manual says. One CPU
 * runs at a time; a hook at an instruction or at a memory access lets another one run in between. (Each
 * host thread picks its own CPU, for stress.c, which has real concurrency.)
 */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdint.h>

#define FAKE_CPUS  8
#define FAKE_PCIDS 16 /* 0 to 7, and 2048 to 2055 */
#define FAKE_PAGES 64 /* page n of a user's half is at n << 12 */

/* Page n of the kernel's half. With CR4.PGE these are global: the last "PCID" holds them. */
#define FAKE_KERNEL_PAGES 8
#define FAKE_KERNEL_VA(n) (-((uint64_t)((n) + 1) << 12))
#define FAKE_GLOBAL       FAKE_PCIDS

enum fake_op {
	FAKE_CR3,
	FAKE_CR4,
	FAKE_INVLPG,
	FAKE_INVPCID,
	FAKE_IPI,
};

struct fake_event {
	enum fake_op op;
	uint32_t cpu;
	uint64_t operand;
};

struct fake_cpu {
	uint64_t cr3, cr4, gs_base;
	int irqs_off, ipi;
	uint64_t cached[FAKE_PCIDS][FAKE_PAGES]; /* version + 1; 0: nothing */
	uint64_t table[FAKE_PCIDS];              /* a paging-structure entry of the user's half */
	uint64_t kernel[FAKE_PCIDS + 1][FAKE_KERNEL_PAGES];
};

extern struct fake_cpu fake_cpu[FAKE_CPUS];

/* The clock goes on by the cost of each logged instruction, and by that of a refill after INVPCID. */
extern uint64_t fake_cost[FAKE_IPI + 1], fake_refill;
extern uint32_t fake_cpuid1_ecx, fake_cpuid7_ebx;

#define FAKE_LOG 4096
extern struct fake_event fake_log[FAKE_LOG];
extern unsigned fake_events;

/*
 * If set: called at each instruction that is logged, before it takes effect (and before the stores that
 * wait have left), so that another CPU can run. On return the CPU is the one that it was.
 */
extern void (*fake_hook)(enum fake_op op, uint64_t operand);

/* Accesses of memory that CPUs share, and fences, as ktlb/atomic.h of this directory sees them. */
enum fake_access {
	FAKE_LOAD,
	FAKE_LOAD_ACQUIRE,
	FAKE_STORE,
	FAKE_STORE_RELEASE,
	FAKE_RMW,
	FAKE_RMW_ACQUIRE,
	FAKE_RMW_RELEASE,
	FAKE_FENCE_ACQUIRE,
	FAKE_FENCE_RELEASE,
	FAKE_FENCE_FULL,
};
uint64_t fake_load(enum fake_access access, const void *p, unsigned long size);
void fake_store(enum fake_access access, void *p, uint64_t value, unsigned long size);
void fake_order(enum fake_access access, const void *p); /* before a read-modify-write or fence */

/* If set: called after a store, before anything else. */
extern void (*fake_access_hook)(enum fake_access access, const void *p);

/*
 * If set: a store into the state of a CPU or an entry waits in a buffer, where only the CPU that stores sees it, until
 * fake_drain or until the manual says that it has left: a read-modify-write, a full fence, a
 * serialising instruction (SDM volume 3, "Memory Ordering"). This is simulated; the host's own buffer is
 * behind it.
 */
extern int fake_stores_wait;
void fake_drain(unsigned stores); /* the oldest ones of this CPU */
unsigned fake_waiting(void);      /* how many wait */

/* The page table of the space whose root is n << 20: versions of its entries. */
#define FAKE_ROOTS 32
extern uint64_t fake_version[FAKE_ROOTS][FAKE_PAGES];
extern uint64_t fake_table_version[FAKE_ROOTS]; /* of the table that leads to them */
extern uint64_t fake_kernel_version[FAKE_KERNEL_PAGES];

struct fake_cpu *fake_this(void);
uint32_t fake_this_number(void);
void fake_run_on(uint32_t cpu);
void fake_write_cr3(uint64_t value);
void fake_write_cr4(uint64_t value);
void fake_invlpg(uint64_t va);
void fake_invpcid(uint64_t type, uint64_t pcid, uint64_t va);
void fake_relax(void);

/* Delivers what interrupts are pending, where they are not masked: to all CPUs, or to this one. */
void fake_interrupts(void);
void fake_interrupt(void);

/* For real concurrency: no log. */
extern int fake_quiet;
extern int fake_loses;           /* so many interrupts from now on do not arrive */
extern uint64_t fake_clock_step; /* by so much the clock goes on whenever it is read */
extern uint32_t
	fake_moves_to; /* at the next report the thread that waits is on that CPU; 0: stays */
struct ktlb_stuck;
extern struct ktlb_stuck *fake_stuck; /* what ktlb_port_stuck was told */
extern unsigned fake_stucks;
extern int fake_spares_globals; /* the erratum: INVLPG leaves global entries while PCIDs are on */
extern int fake_no_delivery;    /* interrupts stay pending: only polling serves */

/* If set: what others do while this CPU waits, in place of taking interrupts and polling. */
extern void (*fake_others)(void);

/* This CPU uses a page of the loaded root: the version that it sees. */
uint64_t fake_touch(uint32_t page);
uint64_t fake_touch_kernel(uint32_t page);

/* This CPU walks from its root, as it may at any time: the version of the table that it uses. */
uint64_t fake_walk(void);

/* The number of the root that is loaded; 0 for the kernel's, whose user half nobody looks at. */
uint64_t fake_root(void);

/* A machine with these features, CR4.PGE set or not, that knows nothing of ktlb yet. */
void fake_power_on(int pcid, int invpcid, int pge);

/* ktlb_init, and all its CPUs online. fake_start: with a default configuration, after power-on. */
struct ktlb_config;
void fake_boot(const struct ktlb_config *config);
struct ktlb_cpu *fake_state(uint32_t cpu);
void fake_start(uint32_t cpus, int pcid, int invpcid, int pge);

/* What ktlb_port_secondary was told last, and how often it was. */
struct ktlb_space;
struct fake_secondary {
	struct ktlb_space *space;
	uint64_t start, size;
	uint32_t flags;
	unsigned calls;
};
extern struct fake_secondary fake_secondary;

extern jmp_buf fake_fail_jump;
extern const char *fake_sentence;
extern int fake_expects_fail;
#define FAKE_SENTENCE_OF(statement)                                                        \
	(fake_sentence = 0, fake_expects_fail = 1,                                         \
	 setjmp(fake_fail_jump) == 0 ? (void)(statement) : (void)0, fake_expects_fail = 0, \
	 fake_sentence)

#define FAKE_KERNEL_ROOT 0x7f00000ull

/* What ktlb_port_trace was told, with KTLB_CFG_TRACE. */
#define FAKE_TRACE 64
struct ktlb_trace_record;
extern struct ktlb_trace_record *fake_trace;
extern unsigned fake_traced;
void fake_trace_add(const struct ktlb_trace_record *record);

#endif /* FAKE_H */
