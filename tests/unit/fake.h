/* SPDX-License-Identifier: MIT */
/*
 * A fake arm64 machine for unit tests: registers of up to 1024 CPUs, a log of the privileged
 * instructions, a TLB that remembers under which id which root was loaded, and ktlb's port.
 *
 * The machine runs one CPU at a time: fake_run_on() picks it. (Each host thread picks its own, for
 * the test with real concurrency.) It is orderly where real ones are not; hunting races is the
 * checker's work.
 */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdint.h>

#define FAKE_CPUS 1024

enum fake_op {
	FAKE_TTBR0,
	FAKE_TTBR1,
	FAKE_ISB,
	FAKE_DSB_ISH,
	FAKE_DSB_ISHST,
	FAKE_DSB_NSH,
	FAKE_TLBI_OWN,
	FAKE_TLBI_VA_OWN,
	FAKE_TLBI_RANGE_OWN,
	FAKE_TLBI_ID_OWN,
	FAKE_TLBI_ALL,
	FAKE_TLBI_ID,
	FAKE_TLBI_VA,
	FAKE_TLBI_RANGE,
	/* Points before a read-modify-write; these are not logged. */
	FAKE_CAS,
	FAKE_EXCHANGE,
	FAKE_LOCK,
};

#define FAKE_KERNEL 1u
#define FAKE_LEAF   2u

struct fake_event {
	enum fake_op op;
	uint64_t operand;
	uint32_t flags;
};

struct fake_cpu {
	uint64_t ttbr0, ttbr1, tcr, mmfr0, mmfr2, isar0, tpidr;
	uint32_t thread[4]; /* SP_EL0 points here */
	int irqs_off;
	/* TLB: the root whose entries are cached under an id, 0 = none. Owned by the CPU. */
	uint64_t *root_under_id;
};

extern struct fake_cpu fake_cpu[FAKE_CPUS];

/* The clock goes on by the cost of each event, and by that of a refill where a TLB has been emptied. */
extern uint64_t fake_cost[FAKE_LOCK + 1], fake_refill;

/* The log of the last events, oldest first. */
#define FAKE_LOG 8192
extern struct fake_event fake_log[FAKE_LOG];
extern unsigned fake_events;

/*
 * If set: called at each event and point, before it takes effect. What it does itself is not looked
 * at, so that it can let other CPUs run; on return the CPU is the one that it was.
 */
extern void (*fake_hook)(enum fake_op op);

/* How often a root was loaded under an id under which this CPU had another one's entries. */
extern unsigned fake_aliases;

struct fake_cpu *fake_this(void);
uint32_t fake_this_number(void);
void fake_event(enum fake_op op, uint64_t operand, uint32_t flags);
void fake_point(enum fake_op op);
void fake_relax(void);

/* For tests with real concurrency: no log, no hook. */
extern int fake_quiet;

/* A machine of CPUs as the options ask for, with 8 or 16 id bits, ranges and hints or not. */
void fake_reset(uint32_t id_bits, int ranges, int hints);

/* The host thread that calls this is CPU n from now on. */
void fake_run_on(uint32_t cpu);

/* ktlb_init and ktlb_cpu_online of `cpus` CPUs; number n is `first + n * step`. */
struct ktlb_config;
void fake_start(const struct ktlb_config *config, uint32_t first, uint32_t step);
struct ktlb_cpu *fake_state(uint32_t cpu);

/* The state of the CPU that this host thread is: a kernel's own way to it. */
struct ktlb_cpu *fake_kernel_state(void);

/* Forgets the log. */
void fake_clear_log(void);

/* What ktlb_port_secondary was told last, and how often it was. */
struct ktlb_space;
struct fake_secondary {
	struct ktlb_space *space;
	uint64_t start, size;
	uint32_t flags;
	unsigned calls;
};
extern struct fake_secondary fake_secondary;

/*
 * Runs the statement; the sentence with which it ended in ktlb_port_fail, or null if it returned.
 */
extern jmp_buf fake_fail_jump;
extern const char *fake_sentence;
extern uint64_t fake_got, fake_want;
extern int fake_expects_fail;
#define FAKE_SENTENCE_OF(statement)                                                        \
	(fake_sentence = 0, fake_expects_fail = 1,                                         \
	 setjmp(fake_fail_jump) == 0 ? (void)(statement) : (void)0, fake_expects_fail = 0, \
	 fake_sentence)

#define FAKE_EMPTY_TABLE 0x1234000000ull /* ktlb_config.kernel_root; aligned for any granule */

/* What ktlb_port_trace was told, with KTLB_CFG_TRACE. */
#define FAKE_TRACE 64
struct ktlb_trace_record;
extern struct ktlb_trace_record *fake_trace;
extern unsigned fake_traced;
void fake_trace_add(const struct ktlb_trace_record *record);

#endif /* FAKE_H */
