/* SPDX-License-Identifier: MIT */
/*
 * Textbook memory litmus tests. Instrumented, as the library is: what they do reaches the machine
 * through the same calls of the compiler.
 *
 * A name is the shape, then what each thread has between its two accesses or on them: rlx relaxed, rel
 * and acq release and acquire, sc sequentially consistent, and fences, relf, acqf, scf. The verdicts
 * follow from what a model stands for:
 *
 *   sc         no reordering
 *   tso        x86-TSO: only store buffering, and forwarding; read-modify-writes and scf drain
 *   weak       C11, on a machine where a store that a second CPU has read is visible to all (arm64)
 *   weak-c11   C11, its sequentially consistent fences as repaired by Lahav and others (PLDI 2017)
 */
#include <ktlb/atomic.h>
#include <ktlb_arch/arch.h>

#include "litmus.h"

#define x                 (&litmus.x)
#define y                 (&litmus.y)
#define z                 (&litmus.z)
#define data              (litmus.data)
#define r(n)              (litmus.r[n])
#define ST(p, v, order)   __atomic_store_n(p, (uint64_t)(v), __ATOMIC_##order)
#define LD(p, order)      __atomic_load_n(p, __ATOMIC_##order)
#define ADD(p, order)     __atomic_fetch_add(p, (uint64_t)1, __ATOMIC_##order)
#define XCHG(p, v, order) __atomic_exchange_n(p, (uint64_t)(v), __ATOMIC_##order)
#define FENCE(order)      __atomic_thread_fence(__ATOMIC_##order)
#define RELAXED_ST(p, v)  ST(p, v, RELAXED)
#define RELAXED_LD(p)     LD(p, RELAXED)

#define NOWHERE      0u
#define ON_BOTH_WEAK (ON_WEAK | ON_C11)
#define BUT_SC       (ON_TSO | ON_WEAK | ON_C11)

#define AT_ONCE "stores enter the order of modification when they are executed"
#define TEST_FIELDS(title, where) \
	.name = title, .source = "definition of the model", .models = ON_ALL, .allowed = where

#define TEST2(title, where, outcome, p0, p1) TEST2_BUT(title, where, 0, outcome, p0, p1)
#define TEST2_BUT(title, where, why_not, outcome, p0, p1)                    \
	LITMUS_THREAD(0, p0)                                                 \
	LITMUS_THREAD(1, p1)                                                 \
	LITMUS_SEEN(outcome)                                                 \
	LITMUS_TEST = {TEST_FIELDS(title, where),                            \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_)}, \
	               .seen = LITMUS_ID(seen), .unshown = why_not};
#define TEST3(title, where, outcome, p0, p1, p2) TEST3_BUT(title, where, 0, outcome, p0, p1, p2)
#define TEST3_BUT(title, where, why_not, outcome, p0, p1, p2)                                     \
	LITMUS_THREAD(0, p0)                                                                      \
	LITMUS_THREAD(1, p1)                                                                      \
	LITMUS_THREAD(2, p2)                                                                      \
	LITMUS_SEEN(outcome)                                                                      \
	LITMUS_TEST = {TEST_FIELDS(title, where),                                                 \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_), LITMUS_ID(thread2_)}, \
	               .seen = LITMUS_ID(seen), .unshown = why_not};
#define TEST4(title, where, outcome, p0, p1, p2, p3)                                             \
	LITMUS_THREAD(0, p0)                                                                     \
	LITMUS_THREAD(1, p1)                                                                     \
	LITMUS_THREAD(2, p2)                                                                     \
	LITMUS_THREAD(3, p3)                                                                     \
	LITMUS_SEEN(outcome)                                                                     \
	LITMUS_TEST = {TEST_FIELDS(title, where),                                                \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_), LITMUS_ID(thread2_), \
	                          LITMUS_ID(thread3_)},                                          \
	               .seen = LITMUS_ID(seen)};
#define RACE_TEST(title, where, p0, p1)                                      \
	LITMUS_THREAD(0, p0)                                                 \
	LITMUS_THREAD(1, p1)                                                 \
	LITMUS_TEST = {TEST_FIELDS(title, where),                            \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_)}, \
	               .violation = "data-race"};

/* clang-format off */

/* ---- SB: each stores, then loads what the other stores ----------------------------------------*/

#define SB(title, where, st0, between0, ld0, st1, between1, ld1)                               \
	TEST2(title, where, r(0) == 0 && r(1) == 0,                                            \
	      { st0; between0; r(0) = ld0; }, { st1; between1; r(1) = ld1; })

SB("SB+rlx+rlx", BUT_SC, RELAXED_ST(x, 1), , RELAXED_LD(y), RELAXED_ST(y, 1), , RELAXED_LD(x))
SB("SB+rel-acq+rel-acq", BUT_SC, ST(x, 1, RELEASE), , LD(y, ACQUIRE), ST(y, 1, RELEASE), , LD(x,
      ACQUIRE))
SB("SB+acqf+acqf", BUT_SC, RELAXED_ST(x, 1), FENCE(ACQUIRE), RELAXED_LD(y), RELAXED_ST(y, 1),
      FENCE(ACQUIRE), RELAXED_LD(x))
SB("SB+relf+relf", BUT_SC, RELAXED_ST(x, 1), FENCE(RELEASE), RELAXED_LD(y), RELAXED_ST(y, 1),
      FENCE(RELEASE), RELAXED_LD(x))
SB("SB+relacqf+relacqf", BUT_SC, RELAXED_ST(x, 1), FENCE(ACQ_REL), RELAXED_LD(y), RELAXED_ST(y,
      1), FENCE(ACQ_REL), RELAXED_LD(x))
SB("SB+scf+rlx", BUT_SC, RELAXED_ST(x, 1), FENCE(SEQ_CST), RELAXED_LD(y), RELAXED_ST(y, 1), ,
      RELAXED_LD(x))
SB("SB+scf+relacqf", BUT_SC, RELAXED_ST(x, 1), FENCE(SEQ_CST), RELAXED_LD(y), RELAXED_ST(y, 1),
      FENCE(ACQ_REL), RELAXED_LD(x))
SB("SB+scf+scf", NOWHERE, RELAXED_ST(x, 1), FENCE(SEQ_CST), RELAXED_LD(y), RELAXED_ST(y, 1),
      FENCE(SEQ_CST), RELAXED_LD(x))
SB("SB+sc+sc", NOWHERE, ST(x, 1, SEQ_CST), , LD(y, SEQ_CST), ST(y, 1, SEQ_CST), , LD(x, SEQ_CST))
SB("SB+sc-rlx+sc-rlx", ON_BOTH_WEAK, ST(x, 1, SEQ_CST), , RELAXED_LD(y), ST(y, 1, SEQ_CST), ,
      RELAXED_LD(x))
SB("SB+rmw+rmw", ON_BOTH_WEAK, ADD(x, RELAXED), , RELAXED_LD(y), ADD(y, RELAXED), , RELAXED_LD(x))
SB("SB+sc.rmw+sc.rmw", ON_BOTH_WEAK, ADD(x, SEQ_CST), , RELAXED_LD(y), ADD(y, SEQ_CST), ,
      RELAXED_LD(x))
#if KTLB_ARCH_INTERRUPTS
SB("SB+rmw-fence_after_rmw+same", NOWHERE, ADD(x, RELAXED), ktlb_fence_after_rmw(), RELAXED_LD(y),
      ADD(y, RELAXED), ktlb_fence_after_rmw(), RELAXED_LD(x))
SB("SB+rmw-fence_after_rmw+scf", NOWHERE, (void)XCHG(x, 1, ACQUIRE), ktlb_fence_after_rmw(),
      RELAXED_LD(y), RELAXED_ST(y, 1), FENCE(SEQ_CST), RELAXED_LD(x))
#endif

/* A CPU finds its own store early. */
TEST2("SB+rfi+rfi", BUT_SC, r(0) == 1 && r(1) == 0 && r(2) == 1 && r(3) == 0,
      { RELAXED_ST(x, 1); r(0) = RELAXED_LD(x); r(1) = RELAXED_LD(y); },
      { RELAXED_ST(y, 1); r(2) = RELAXED_LD(y); r(3) = RELAXED_LD(x); })

/* ---- MP: data, then a flag --------------------------------------------------------------------*/

#define MP(title, where, between0, st, ld, between1)                                           \
	TEST2(title, where, r(0) && r(1) == 0, { RELAXED_ST(x, 1); between0; st; },            \
	      { r(0) = ld; between1; r(1) = RELAXED_LD(x); })

MP("MP+rlx+rlx", ON_BOTH_WEAK, , RELAXED_ST(y, 1), RELAXED_LD(y), )
MP("MP+rel+acq", NOWHERE, , ST(y, 1, RELEASE), LD(y, ACQUIRE), )
MP("MP+rel+rlx", ON_BOTH_WEAK, , ST(y, 1, RELEASE), RELAXED_LD(y), )
MP("MP+rlx+acq", ON_BOTH_WEAK, , RELAXED_ST(y, 1), LD(y, ACQUIRE), )
MP("MP+relf+acqf", NOWHERE, FENCE(RELEASE), RELAXED_ST(y, 1), RELAXED_LD(y), FENCE(ACQUIRE))
MP("MP+relf+acq", NOWHERE, FENCE(RELEASE), RELAXED_ST(y, 1), LD(y, ACQUIRE), )
MP("MP+rel+acqf", NOWHERE, , ST(y, 1, RELEASE), RELAXED_LD(y), FENCE(ACQUIRE))
MP("MP+relf+rlx", ON_BOTH_WEAK, FENCE(RELEASE), RELAXED_ST(y, 1), RELAXED_LD(y), )
MP("MP+rlx+acqf", ON_BOTH_WEAK, , RELAXED_ST(y, 1), RELAXED_LD(y), FENCE(ACQUIRE))
MP("MP+acqf+relf", ON_BOTH_WEAK, FENCE(ACQUIRE), RELAXED_ST(y, 1), RELAXED_LD(y), FENCE(RELEASE))
MP("MP+scf+scf", NOWHERE, FENCE(SEQ_CST), RELAXED_ST(y, 1), RELAXED_LD(y), FENCE(SEQ_CST))
MP("MP+scf+rlx", ON_BOTH_WEAK, FENCE(SEQ_CST), RELAXED_ST(y, 1), RELAXED_LD(y), )
MP("MP+rlx+scf", ON_BOTH_WEAK, , RELAXED_ST(y, 1), RELAXED_LD(y), FENCE(SEQ_CST))
MP("MP+rmw.rlx+acq", ON_BOTH_WEAK, , ADD(y, RELAXED), LD(y, ACQUIRE), )
MP("MP+rmw.rel+acq", NOWHERE, , ADD(y, RELEASE), LD(y, ACQUIRE), )
MP("MP+rmw.acq+acq", ON_BOTH_WEAK, , (void)XCHG(y, 1, ACQUIRE), LD(y, ACQUIRE), )
MP("MP+rel+rmw.acq", NOWHERE, , ST(y, 1, RELEASE), XCHG(y, 2, ACQUIRE), )
MP("MP+rel+rmw.rlx", ON_BOTH_WEAK, , ST(y, 1, RELEASE), XCHG(y, 2, RELAXED), )
#if KTLB_ARCH_INTERRUPTS
MP("MP+rmw-fence_after_rmw+acq", NOWHERE, ADD(z, RELAXED); ktlb_fence_after_rmw(), RELAXED_ST(y,
      1), LD(y, ACQUIRE), )
#endif

TEST2("MP+cas.rel+acq", NOWHERE, r(0) == 1 && r(1) == 0,
      { uint64_t old = 0; RELAXED_ST(x, 1); (void)ktlb_cas_release(y, &old, (uint64_t)1); },
      { r(0) = LD(y, ACQUIRE); r(1) = RELAXED_LD(x); })
TEST2("MP+cas.rlx+acq", ON_BOTH_WEAK, r(0) == 1 && r(1) == 0,
      { uint64_t old = 0; RELAXED_ST(x, 1); (void)ktlb_cas_relaxed(y, &old, (uint64_t)1); },
      { r(0) = LD(y, ACQUIRE); r(1) = RELAXED_LD(x); })
/* A read-modify-write continues what was released. */
TEST3("MP+rel+rmw.rlx+acq", NOWHERE, r(0) == 2 && r(1) == 0,
      { RELAXED_ST(x, 1); ST(y, 1, RELEASE); },
      { if (RELAXED_LD(y)) ADD(y, RELAXED); },
      { r(0) = LD(y, ACQUIRE); r(1) = RELAXED_LD(x); })
/* A store of another thread does not; but where it is visible, what it replaced was. */
TEST3("MP+rel+rlx+acq", ON_C11, r(0) == 2 && r(1) == 0,
      { RELAXED_ST(x, 1); ST(y, 1, RELEASE); },
      { if (RELAXED_LD(y)) RELAXED_ST(y, 2); },
      { r(0) = LD(y, ACQUIRE); r(1) = RELAXED_LD(x); })

RACE_TEST("MP.plain+rlx+rlx", ON_ALL, { data = 1; RELAXED_ST(y, 1); },
      { if (RELAXED_LD(y)) r(0) = data; })
RACE_TEST("MP.plain+rlx+acq", ON_ALL, { data = 1; RELAXED_ST(y, 1); }, { if (LD(y,
      ACQUIRE)) r(0) = data; })
RACE_TEST("MP.plain+rel+rlx", ON_ALL, { data = 1; ST(y, 1, RELEASE); },
      { if (RELAXED_LD(y)) r(0) = data; })
RACE_TEST("MP.plain+rel+acq", NOWHERE, { data = 1; ST(y, 1, RELEASE); }, { if (LD(y,
      ACQUIRE)) r(0) = data; })
RACE_TEST("MP.plain+relf+acqf", NOWHERE, { data = 1; FENCE(RELEASE); RELAXED_ST(y, 1); },
      { if (RELAXED_LD(y)) { FENCE(ACQUIRE); r(0) = data; } })
RACE_TEST("MP.plain+rmw.rel+rmw.acq", NOWHERE, { data = 1; ADD(y, RELEASE); }, { if (XCHG(y, 2,
      ACQUIRE)) r(0) = data; })
RACE_TEST("plain-stores", ON_ALL, { data = 1; }, { data = 2; })
RACE_TEST("plain-loads", NOWHERE, { r(0) = data; }, { r(1) = data; })

/* ---- coherence --------------------------------------------------------------------------------*/

TEST2("CoRR", NOWHERE, r(0) == 1 && r(1) == 0, { RELAXED_ST(x, 1); },
      { r(0) = RELAXED_LD(x); r(1) = RELAXED_LD(x); })
TEST2("CoRR2", NOWHERE, r(0) == 2 && r(1) == 1, { RELAXED_ST(x, 1); RELAXED_ST(x, 2); },
      { r(0) = RELAXED_LD(x); r(1) = RELAXED_LD(x); })
TEST4("CoRR.4", NOWHERE, r(0) == 1 && r(1) == 2 && r(2) == 2 && r(3) == 1,
      { RELAXED_ST(x, 1); }, { RELAXED_ST(x, 2); },
      { r(0) = RELAXED_LD(x); r(1) = RELAXED_LD(x); }, { r(2) = RELAXED_LD(x);
      r(3) = RELAXED_LD(x); })
TEST2("CoWR", NOWHERE, r(0) == 2 && *x == 1, { RELAXED_ST(x, 1); r(0) = RELAXED_LD(x); },
      { RELAXED_ST(x, 2); })
TEST2("CoWR0", NOWHERE, r(0) == 0, { RELAXED_ST(x, 1); r(0) = RELAXED_LD(x); }, { RELAXED_ST(x,
      2); })
TEST2("CoRW1", NOWHERE, r(0) == 1, { r(0) = RELAXED_LD(x); RELAXED_ST(x, 1); }, { RELAXED_ST(y,
      1); })
TEST2("CoRW2", NOWHERE, r(0) == 2 && *x == 2, { r(0) = RELAXED_LD(x); RELAXED_ST(x, 1); },
      { RELAXED_ST(x, 2); })
TEST2("CoWW", NOWHERE, *x == 1, { RELAXED_ST(x, 1); RELAXED_ST(x, 2); }, { r(0) = RELAXED_LD(x); })
TEST2("RMW+RMW", NOWHERE, *x != 2, { ADD(x, RELAXED); }, { ADD(x, RELAXED); })
TEST2("exclusive", NOWHERE, r(0) == 0 && r(1) == 0, { r(0) = XCHG(x, 1, RELAXED); },
      { r(1) = XCHG(x, 1, RELAXED); })

/* ---- LB: each loads, then stores --------------------------------------------------------------*/

#define LB(title, where, why_not, ld, st)                                                      \
	TEST2_BUT(title, where, why_not, r(0) == 1 && r(1) == 1,                               \
	          { r(0) = LD(x, ld); ST(y, 1, st); }, { r(1) = LD(y, ld); ST(x, 1, st); })

LB("LB+rlx+rlx", ON_BOTH_WEAK, AT_ONCE, RELAXED, RELAXED)
LB("LB+acq-rlx+acq-rlx", ON_C11, AT_ONCE, ACQUIRE, RELAXED)
LB("LB+rlx-rel+rlx-rel", ON_C11, AT_ONCE, RELAXED, RELEASE)
LB("LB+acq-rel+acq-rel", NOWHERE, 0, ACQUIRE, RELEASE)

/* ---- 2+2W, S, R: with an order of two stores --------------------------------------------------*/

#define TWO_AND_TWO(title, where, why_not, between, order)                                     \
	TEST2_BUT(title, where, why_not, *x == 1 && *y == 1,                                   \
	          { RELAXED_ST(x, 1); between; ST(y, 2, order); },                             \
	          { RELAXED_ST(y, 1); between; ST(x, 2, order); })

TWO_AND_TWO("2+2W+rlx+rlx", ON_BOTH_WEAK, AT_ONCE, , RELAXED)
TWO_AND_TWO("2+2W+rel+rel", ON_C11, AT_ONCE, , RELEASE)
TWO_AND_TWO("2+2W+scf+scf", NOWHERE, 0, FENCE(SEQ_CST), RELAXED)

#define S(title, where, why_not, between0, st, ld, between1)                                   \
	TEST2_BUT(title, where, why_not, r(0) == 1 && *x == 2,                                 \
	          { RELAXED_ST(x, 2); between0; ST(y, 1, st); },                               \
	          { r(0) = LD(y, ld); between1; RELAXED_ST(x, 1); })

S("S+rlx+rlx", ON_BOTH_WEAK, AT_ONCE, , RELAXED, RELAXED, )
S("S+rel+rlx", ON_BOTH_WEAK, AT_ONCE, , RELEASE, RELAXED, )
S("S+rel+acq", NOWHERE, 0, , RELEASE, ACQUIRE, )
S("S+relf+acqf", NOWHERE, 0, FENCE(RELEASE), RELAXED, RELAXED, FENCE(ACQUIRE))

#define R(title, where, between0, st, between1)                                                \
	TEST2(title, where, r(0) == 0 && *y == 2, { RELAXED_ST(x, 1); between0; ST(y, 1, st); }, \
	      { RELAXED_ST(y, 2); between1; r(0) = RELAXED_LD(x); })

R("R+rlx+rlx", BUT_SC, , RELAXED, )
R("R+rel+rlx", BUT_SC, , RELEASE, )
R("R+rel+acqf", BUT_SC, , RELEASE, FENCE(ACQUIRE))
R("R+rlx+scf", ON_BOTH_WEAK, , RELAXED, FENCE(SEQ_CST))
R("R+rel+scf", ON_C11, , RELEASE, FENCE(SEQ_CST))
R("R+scf+scf", NOWHERE, FENCE(SEQ_CST), RELAXED, FENCE(SEQ_CST))

/* ---- three and four threads: is a store seen by all at once? ----------------------------------*/

#define WRC(title, where, ld1, between1, st1, ld2, between2)                                   \
	TEST3_BUT(title, where, AT_ONCE, r(0) == 1 && r(1) == 1 && r(2) == 0, { RELAXED_ST(x, 1); }, \
	      { r(0) = LD(x, ld1); between1; ST(y, 1, st1); },                                 \
	      { r(1) = LD(y, ld2); between2; r(2) = RELAXED_LD(x); })

WRC("WRC+rlx+rlx", ON_BOTH_WEAK, RELAXED, , RELAXED, RELAXED, )
WRC("WRC+rel+acq", NOWHERE, RELAXED, , RELEASE, ACQUIRE, )
WRC("WRC+rel+rlx", ON_BOTH_WEAK, RELAXED, , RELEASE, RELAXED, )
WRC("WRC+rlx+acq", ON_BOTH_WEAK, RELAXED, , RELAXED, ACQUIRE, )
WRC("WRC+acq-rlx+acq", ON_C11, ACQUIRE, , RELAXED, ACQUIRE, )
WRC("WRC+relf+acqf", NOWHERE, RELAXED, FENCE(RELEASE), RELAXED, RELAXED, FENCE(ACQUIRE))
WRC("WRC+acqf+acqf", ON_C11, RELAXED, FENCE(ACQUIRE), RELAXED, RELAXED, FENCE(ACQUIRE))
WRC("WRC+scf+scf", NOWHERE, RELAXED, FENCE(SEQ_CST), RELAXED, RELAXED, FENCE(SEQ_CST))

#define ISA2(title, where, st0, ld1, st1, ld2)                                                 \
	TEST3(title, where, r(0) == 1 && r(1) == 1 && r(2) == 0, { RELAXED_ST(x, 1); ST(y, 1, st0); }, \
	      { r(0) = LD(y, ld1); ST(z, 1, st1); }, { r(1) = LD(z, ld2); r(2) = RELAXED_LD(x); })

ISA2("ISA2+rlx+rlx+rlx", ON_BOTH_WEAK, RELAXED, RELAXED, RELAXED, RELAXED)
ISA2("ISA2+rel+acq-rel+acq", NOWHERE, RELEASE, ACQUIRE, RELEASE, ACQUIRE)
ISA2("ISA2+rel+rlx-rel+acq", ON_C11, RELEASE, RELAXED, RELEASE, ACQUIRE)
ISA2("ISA2+rel+acq-rlx+acq", ON_C11, RELEASE, ACQUIRE, RELAXED, ACQUIRE)
ISA2("ISA2+rlx+acq-rel+acq", ON_BOTH_WEAK, RELAXED, ACQUIRE, RELEASE, ACQUIRE)

#define RWC(title, where, ld1, between1, between2)                                             \
	TEST3(title, where, r(0) == 1 && r(1) == 0 && r(2) == 0, { RELAXED_ST(x, 1); },        \
	      { r(0) = LD(x, ld1); between1; r(1) = RELAXED_LD(y); },                          \
	      { RELAXED_ST(y, 1); between2; r(2) = RELAXED_LD(x); })

RWC("RWC+rlx+rlx", BUT_SC, RELAXED, , )
RWC("RWC+acq+rlx", BUT_SC, ACQUIRE, , )
RWC("RWC+rlx+scf", ON_BOTH_WEAK, RELAXED, , FENCE(SEQ_CST))
RWC("RWC+acq+scf", ON_C11, ACQUIRE, , FENCE(SEQ_CST))
RWC("RWC+acqf+scf", ON_C11, RELAXED, FENCE(ACQUIRE), FENCE(SEQ_CST))
RWC("RWC+scf+scf", NOWHERE, RELAXED, FENCE(SEQ_CST), FENCE(SEQ_CST))

#define W_RWC(title, where, st0, ld1, between1, between2)                                      \
	TEST3(title, where, r(0) == 1 && r(1) == 0 && r(2) == 0, { RELAXED_ST(x, 1); ST(y, 1, st0); }, \
	      { r(0) = LD(y, ld1); between1; r(1) = RELAXED_LD(z); },                          \
	      { RELAXED_ST(z, 1); between2; r(2) = RELAXED_LD(x); })

W_RWC("W+RWC+rlx+rlx+rlx", BUT_SC, RELAXED, RELAXED, , )
W_RWC("W+RWC+rel+acq+rlx", BUT_SC, RELEASE, ACQUIRE, , )
W_RWC("W+RWC+rel+acq+scf", ON_C11, RELEASE, ACQUIRE, , FENCE(SEQ_CST))
W_RWC("W+RWC+rel+scf+scf", NOWHERE, RELEASE, RELAXED, FENCE(SEQ_CST), FENCE(SEQ_CST))

#define IRIW(title, where, st, ld, between)                                                    \
	TEST4(title, where, r(0) == 1 && r(1) == 0 && r(2) == 1 && r(3) == 0,                  \
	      { ST(x, 1, st); }, { ST(y, 1, st); }, { r(0) = LD(x, ld); between; r(1) = LD(y, ld); }, \
	      { r(2) = LD(y, ld); between; r(3) = LD(x, ld); })

IRIW("IRIW+rlx+rlx", ON_BOTH_WEAK, RELAXED, RELAXED, )
IRIW("IRIW+acq+acq", ON_C11, RELAXED, ACQUIRE, )
IRIW("IRIW.rel+acq+acq", ON_C11, RELEASE, ACQUIRE, )
IRIW("IRIW+acqf+acqf", ON_C11, RELAXED, RELAXED, FENCE(ACQUIRE))
IRIW("IRIW+scf+scf", NOWHERE, RELAXED, RELAXED, FENCE(SEQ_CST))
IRIW("IRIW+sc+sc", NOWHERE, SEQ_CST, SEQ_CST, )
/* clang-format on */
