/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests: small programs of which it is published, or follows from a model's definition, whether
 * an outcome may be seen. They judge the machine, not the library.
 *
 *   litmus.c          runs them, and makes translations; not instrumented
 *   litmus_memory.c   loads, stores and fences, for all four memory models
 *   litmus_vm.c       page tables and TLBs, arm64
 *
 * A test's threads run on a CPU each. They keep what they have read in litmus.r, one word for each
 * load, and `seen` tells, after the run, whether the outcome is the one that the test is about.
 */
#ifndef CHECKER_LITMUS_H
#define CHECKER_LITMUS_H

#include <stdint.h>

#include "sim.h"

#define LITMUS_THREADS 4

/* A memory model as a bit. */
#define ON_SC   (1u << SIM_SC)
#define ON_TSO  (1u << SIM_TSO)
#define ON_WEAK (1u << SIM_WEAK)
#define ON_C11  (1u << SIM_WEAK_C11)
#define ON_ALL  (ON_SC | ON_TSO | ON_WEAK | ON_C11)

struct litmus_test {
	const char *name;
	const char *source;
	unsigned models;  /* under which it is run */
	unsigned allowed; /* where the outcome is; elsewhere it is forbidden */
	void (*prepare)(const struct litmus_test *test); /* page tables; may be null */
	void (*thread[LITMUS_THREADS])(void *unused);
	int (*seen)(void);
	const char *violation; /* the outcome is that the machine reports this */
	const char *unshown;   /* why the machine does not show an allowed outcome */
	unsigned shape;        /* for `prepare` */
};

/* What the threads share, all 0 at the start. */
struct litmus_shared {
	uint64_t x, y, z, data;
	uint64_t r[8];
};
extern struct litmus_shared litmus;

/* All of them: pointers in a section of their own. */
extern const struct litmus_test *const litmus_first[] __asm__("__start_litmus_tests");
extern const struct litmus_test *const litmus_last[] __asm__("__stop_litmus_tests");
#define LITMUS_JOIN_(a, b) a##b
#define LITMUS_JOIN(a, b)  LITMUS_JOIN_(a, b)
#define LITMUS_ID(what)    LITMUS_JOIN(what, __LINE__)
#define LITMUS_TEST                                                                \
	static const struct litmus_test LITMUS_ID(test);                           \
	static const struct litmus_test *const LITMUS_ID(pointer)                  \
		__attribute__((section("litmus_tests"), used)) = &LITMUS_ID(test); \
	static const struct litmus_test LITMUS_ID(test)
#define LITMUS_THREAD(number, body)                            \
	static void LITMUS_ID(thread##number##_)(void *unused) \
	{                                                      \
		(void)unused;                                  \
		body                                           \
	}
#define LITMUS_SEEN(outcome)             \
	static int LITMUS_ID(seen)(void) \
	{                                \
		return (outcome);        \
	}

/* ---- translations: litmus.c -------------------------------------------------------------------*/

/*
 * The machine executes in order, and so do its threads. A translation may be made earlier than
 * that: at any moment since the last one of these.
 */
void litmus_synchronised(
	void); /* this CPU: context synchronisation, or what the address depends on */
/* The other CPUs: a broadcast TLBI waits for what they translated before by these entries (bits). */
void litmus_broadcast_done(uint64_t ptes);

/*
 * One translation by the running CPU, at this instant, through an entry of the root and one of a
 * leaf table. Returns the leaf entry that was used, or a fault, and then an exception has been taken.
 * `ordered`: what the CPU does later waits for it.
 */
#define LITMUS_NO_PAGE  ((uint64_t)0)
#define LITMUS_NO_TABLE ((uint64_t)2)
uint64_t litmus_translate(unsigned upper, unsigned leaf, int ordered);

#endif /* CHECKER_LITMUS_H */
