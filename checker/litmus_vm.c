/* SPDX-License-Identifier: MIT */
/*
 * Published litmus tests of arm64's virtual memory. Names and verdicts are facts of the collections
 * that `source` names; the programs are written here, from what the names say:
 *
 *   W    a store to a translation table      T    a translation, of a load unless told otherwise
 *   R    a load of a word or of an entry     Tf   a translation that faults
 *   .inv the entry is invalid at first       .ro  read-only at first
 *   po   nothing between                     addr, data, ctrl  a dependency
 *
 * and the shapes (MP, SB, WRC, ...) are those of memory litmus tests. Verdicts are those for CPUs
 * without FEAT_ETS, which order less. The local TLBI by address, which ktlb has no use for and the
 * machine does not have, is a local TLBI of everything here.
 */
#include <ktlb/atomic.h>
#include <ktlb/config.h>
#include <ktlb_arch/arch.h>

#include "litmus.h"

struct litmus_shared litmus;

#if !KTLB_ARCH_INTERRUPTS /* arm64 */

#include <ktlb_arch/insn.h>

/* ---- the world: two spaces --------------------------------------------------------------------*/

#define VA        ((uint64_t)0x40000000)
#define ROOT_PA   ((uint64_t)0x100000)
#define ROOT_B_PA ((uint64_t)0x200000)
#define TABLE(n)  (ROOT_PA + ((uint64_t)(n) + 1) * 0x1000)
#define ID        ((uint64_t)1)
#define OTHER_ID  ((uint64_t)2)
#define ID_SHIFT  48

static struct {
	uint64_t root[2], page[3], far[1]; /* space A: x, y, z, and a page under another table */
	uint64_t root_b[1], page_b[1];     /* space B: at the address of x */
	uint64_t broadcast
		[LITMUS_THREADS]; /* entries, as bits, whose TLBI by this CPU waits for its DSB */
} vm;

/* The entries' numbers. */
enum {
	PTE_ROOT,
	PTE_X = 2,
	PTE_Y,
	PTE_Z,
	PTE_FAR,
	PTE_ROOT_B,
	PTE_X_B,
};

#define BITS(frame) ((uint64_t)(frame) << 12 | PTE_PRESENT | PTE_ACCESSED)
#define OLD         (BITS(0x10) | PTE_WRITE)
#define OLD_RO      BITS(0x10)
#define NEW         (BITS(0x20) | PTE_WRITE)
#define POINTER(n)  (TABLE(n) | PTE_PRESENT | PTE_ACCESSED)

/* What is different from: all pages valid and writable, all tables linked. */
#define X_INVALID   1u
#define Y_INVALID   2u
#define X_READ_ONLY 4u
#define FAR_ABSENT  8u  /* neither page nor table */
#define UNDER_OTHER 16u /* the CPUs use the other id */

static void load_root(uint64_t root, uint64_t id)
{
	if (KTLB_CFG_ARM64_ASID_IN_TTBR1)
		ktlb_insn_write_ttbr1(id << ID_SHIFT);
	ktlb_insn_write_ttbr0(root | id << ID_SHIFT);
}

static void prepare(const struct litmus_test *test)
{
	vm.root[0] = POINTER(0);
	vm.root[1] = test->shape & FAR_ABSENT ? 0 : POINTER(1);
	vm.page[0] = test->shape & X_INVALID ? 0 : test->shape & X_READ_ONLY ? OLD_RO : OLD;
	vm.page[1] = test->shape & Y_INVALID ? 0 : OLD;
	vm.page[2] = OLD;
	vm.far[0] = test->shape & FAR_ABSENT ? 0 : OLD;
	vm.root_b[0] = POINTER(2);
	vm.page_b[0] = 0;
	tlb_table(ROOT_PA, 1, 0, VA, vm.root, 2);
	tlb_table(TABLE(0), 0, 0, VA, vm.page, 3);
	tlb_table(TABLE(1), 0, 0, VA + ((uint64_t)1 << TLB_UPPER_SHIFT), vm.far, 1);
	tlb_table(ROOT_B_PA, 1, 1, VA, vm.root_b, 1);
	tlb_table(TABLE(2), 0, 1, VA, vm.page_b, 1);
	for (uint32_t cpu = 0; cpu < sim_cpu_count; cpu++) {
		sim_setup_cpu = &sim_cpus[cpu];
		load_root(ROOT_PA, test->shape & UNDER_OTHER ? OTHER_ID : ID);
		ktlb_insn_isb();
	}
}

/* ---- instructions -----------------------------------------------------------------------------*/

static void isb(void)
{
	ktlb_insn_isb();
	litmus_synchronised();
}

/* An exception that is taken, and the return from one. */
static void svc(void)
{
	sim_point();
	sim_enter_interrupt();
	litmus_synchronised();
}

static void eret(void)
{
	sim_enter_user();
	litmus_synchronised();
}

static void dsb(void)
{
	ktlb_insn_dsb_ish();
	if (vm.broadcast[sim_cur->number])
		litmus_broadcast_done(vm.broadcast[sim_cur->number]);
	vm.broadcast[sim_cur->number] = 0;
}

static void dsb_isb(void)
{
	dsb();
	isb();
}

#define dsb_st()  ktlb_insn_dsb_ishst()
#define dmb()     ktlb_fence_full()
#define dmb_st()  __atomic_thread_fence(__ATOMIC_RELEASE)
#define dmb_ld()  ktlb_fence_acquire()
#define tlbi()    ktlb_insn_tlbi_vmalle1()
#define tlbi_is() tlbi_page_is(0)

static void tlbi_page_is(unsigned page)
{
	ktlb_insn_broadcast_va(KTLB_SCOPE_ID, 0, 0, (VA >> 12) + page + (ID << ID_SHIFT));
	vm.broadcast[sim_cur->number] |= (uint64_t)1 << (PTE_X + page);
}

static void tlbi_asid_is(uint64_t id)
{
	ktlb_insn_broadcast_id(id << ID_SHIFT);
	vm.broadcast[sim_cur->number] = ~(uint64_t)0;
}

/* ---- accesses ---------------------------------------------------------------------------------*/

#define X_PTE         (&vm.page[0])
#define Y_PTE         (&vm.page[1])
#define FAR_PTE       (&vm.far[0])
#define FAR_TABLE     (&vm.root[1])
#define W(pte, value) ktlb_store_relaxed(pte, value)
#define y             (&litmus.y)
#define z             (&litmus.z)
#define d             (&litmus.data)
#define ST(p)         ktlb_store_relaxed(p, (uint64_t)1)
#define LD(p)         ktlb_load_relaxed(p)
#define r(n)          (litmus.r[n])

/* A load, and what is dependent on its result. */
static uint64_t LD_addr(const uint64_t *p)
{
	uint64_t value = mem_load(p, sizeof(*p), __ATOMIC_CONSUME);

	litmus_synchronised();
	return value;
}

#define LD_data(p) LD_addr(p)
#define LD_ctrl(p) LD(p) /* a translation does not wait for a branch */

static uint64_t LD_ctrl_isb(const uint64_t *p)
{
	uint64_t value = LD_addr(p);

	isb();
	return value;
}

static uint64_t T_of(unsigned upper, unsigned leaf, int ordered)
{
	sim_point();
	return litmus_translate(upper, leaf, ordered);
}

#define T(pte)      T_of(PTE_ROOT, pte, 0)
#define T_addr(pte) T_of(PTE_ROOT, pte, 1)
#define T_far()     T_of(PTE_ROOT + 1, PTE_FAR, 0)

/* A load of x: the translation and the access, at once. */
static uint64_t T_and_LD(unsigned pte, const uint64_t *p, uint64_t *value)
{
	*value = LD(p);
	return litmus_translate(PTE_ROOT, pte, 0);
}

#define FAULT           LITMUS_NO_PAGE
#define WRITABLE(entry) (((entry)&PTE_WRITE) != 0)

/* ---- tests ------------------------------------------------------------------------------------*/

#define ESOP   "Relaxed virtual memory in Armv8-A (ESOP 2022), results, strong model"
#define STRONG "rems-project axiomatic models, run of 2022-09-14"
#define LATER  "rems-project axiomatic models, run of 2022-12-21"
#define HERD   "herdtools7, catalogue aarch64-VMSA"

#define TLBI_WAITS                                                                  \
	"a broadcast TLBI waits for what was translated before it (so herdtools7, " \
	"D15347-M-load-shoot, and the collection's later runs)"
#define NO_TTBR "the collection's model does not order writes of TTBR0_EL1; the Arm ARM does"

#define ALLOWED   ON_WEAK
#define FORBIDDEN 0u

#define VM_FIELDS(title, verdict, from, bits)                                                     \
	.name = title, .source = from, .models = ON_WEAK, .allowed = verdict, .prepare = prepare, \
	.shape = bits, .seen = LITMUS_ID(seen)
#define VM1(title, verdict, from, bits, outcome, p0) \
	VM1_BUT(title, verdict, from, 0, bits, outcome, p0)
#define VM1_BUT(title, verdict, from, why_not, bits, outcome, p0)                              \
	LITMUS_THREAD(0, p0)                                                                   \
	LITMUS_SEEN(outcome)                                                                   \
	LITMUS_TEST = {VM_FIELDS(title, verdict, from, bits), .thread = {LITMUS_ID(thread0_)}, \
	               .unshown = why_not};
#define VM2(title, verdict, from, bits, outcome, p0, p1) \
	VM2_BUT(title, verdict, from, 0, bits, outcome, p0, p1)
#define VM2_BUT(title, verdict, from, why_not, bits, outcome, p0, p1) \
	LITMUS_THREAD(0, p0)                                          \
	LITMUS_THREAD(1, p1)                                          \
	LITMUS_SEEN(outcome)                                          \
	LITMUS_TEST = {VM_FIELDS(title, verdict, from, bits),         \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_)}, .unshown = why_not};
#define VM3(title, verdict, from, bits, outcome, p0, p1, p2)  \
	LITMUS_THREAD(0, p0)                                  \
	LITMUS_THREAD(1, p1)                                  \
	LITMUS_THREAD(2, p2)                                  \
	LITMUS_SEEN(outcome)                                  \
	LITMUS_TEST = {VM_FIELDS(title, verdict, from, bits), \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_), LITMUS_ID(thread2_)}};
#define VM4(title, verdict, from, bits, outcome, p0, p1, p2, p3)                                 \
	LITMUS_THREAD(0, p0)                                                                     \
	LITMUS_THREAD(1, p1)                                                                     \
	LITMUS_THREAD(2, p2)                                                                     \
	LITMUS_THREAD(3, p3)                                                                     \
	LITMUS_SEEN(outcome)                                                                     \
	LITMUS_TEST = {VM_FIELDS(title, verdict, from, bits),                                    \
	               .thread = {LITMUS_ID(thread0_), LITMUS_ID(thread1_), LITMUS_ID(thread2_), \
	                          LITMUS_ID(thread3_)}};

/* clang-format off */

/* ---- one thread makes x valid: does its own translation fault? --------------------------------*/

#define CoWTf(title, verdict, from, between)                                                   \
	VM1(title, verdict, from, X_INVALID, r(0) == FAULT, { W(X_PTE, NEW); between; r(0) = T(PTE_X); \
	      })

CoWTf("CoWTf.inv+po", ALLOWED, ESOP, )
CoWTf("CoWTf.inv+svc", ALLOWED, ESOP, svc())
CoWTf("CoWTf.inv+dsb-isb", FORBIDDEN, ESOP, dsb_isb())
CoWTf("CoWTf.inv.EL1+eret", ALLOWED, ESOP, eret())
CoWTf("CoWTf.inv.EL1+dsb-eret", FORBIDDEN, ESOP, dsb(); eret())
CoWTf("CoWTf.inv.EL1+dsb-svc", FORBIDDEN, ESOP, dsb(); svc())
CoWTf("CoWTf.inv+poloc-ctrl-isb", ALLOWED, ESOP, r(1) = LD_ctrl_isb(X_PTE))
CoWTf("CoWTf.inv+rfi-ctrl-isb", ALLOWED, STRONG, r(1) = LD_ctrl_isb(X_PTE))
CoWTf("CoWTf.inv+rfi-addr", ALLOWED, STRONG, r(1) = LD_addr(X_PTE))
CoWTf("D15347-load", ALLOWED, HERD, )
CoWTf("D15347-load-DMB", ALLOWED, HERD, dmb())
CoWTf("D15347-load-DSB", ALLOWED, HERD, dsb())
CoWTf("D15347-load-DSB-ISB", FORBIDDEN, HERD, dsb_isb())
CoWTf("D15347-load-shoot", ALLOWED, HERD, dsb(); tlbi_is(); dsb())
CoWTf("I2V-W-DSB.ST-ISB-R", FORBIDDEN, HERD, dsb_st(); isb())
CoWTf("I2V-W-DSB.ISH-ISB-W", FORBIDDEN, HERD, dsb_isb())

VM1("CoWTa1.1.inv+dsb-tlbiasidis-dsb-eret", FORBIDDEN, ESOP, X_INVALID, r(0) == FAULT,
    { W(X_PTE, NEW); dsb(); tlbi_asid_is(ID); dsb(); eret(); r(0) = T(PTE_X); })
VM1("CoWTa2.1.inv+dsb-tlbiasidis-dsb-eret", FORBIDDEN, ESOP, X_INVALID | UNDER_OTHER, r(0) == FAULT,
    { W(X_PTE, NEW); dsb(); tlbi_asid_is(ID); dsb(); eret(); r(0) = T(PTE_X); })

/* ---- one thread makes x invalid: does it still translate? -------------------------------------*/

#define CoWinvT(title, verdict, from, between)                                                 \
	VM1(title, verdict, from, 0, r(0) == OLD, { W(X_PTE, (uint64_t)0); between; r(0) = T(PTE_X); \
	      })

CoWinvT("CoWinvT+po", ALLOWED, ESOP, )
CoWinvT("CoWinvT+dsb-isb", ALLOWED, ESOP, dsb_isb())
CoWinvT("CoWinvT.EL1+dsb-tlbi-dsb", ALLOWED, ESOP, dsb(); tlbi(); dsb())
CoWinvT("CoWinvT.EL1+dsb-tlbi-dsb-isb", FORBIDDEN, ESOP, dsb(); tlbi(); dsb_isb())
CoWinvT("CoWinvT.EL1+dsb-tlbiis-dsb", ALLOWED, ESOP, dsb(); tlbi_is(); dsb())
CoWinvT("CoWinvT.EL1+dsb-tlbiis-dsb-isb", FORBIDDEN, ESOP, dsb(); tlbi_is(); dsb_isb())
CoWinvT("CoWinvT.EL1+tlbi-dsb-isb", ALLOWED, LATER, tlbi(); dsb_isb())
CoWinvT("CoWinvT.EL1+dsb-badtlbi-dsb-isb", ALLOWED, LATER, dsb(); tlbi_page_is(1); dsb_isb())
CoWinvT("CoWinvTa1.1+dsb-tlbiasidis-dsb-eret", FORBIDDEN, ESOP, dsb(); tlbi_asid_is(ID); dsb();
      eret())
CoWinvT("V2I-W-DSB.ST-TLBI-DSB.ISH-ISB-R", FORBIDDEN, HERD, dsb_st(); tlbi(); dsb_isb())

VM1("CoWinvTa2.1+dsb-tlbiasidis-dsb-eret", ALLOWED, ESOP, UNDER_OTHER, r(0) == OLD,
    { W(X_PTE, (uint64_t)0); dsb(); tlbi_asid_is(ID); dsb(); eret(); r(0) = T(PTE_X); })
VM1("CoWinvRpte+po", FORBIDDEN, ESOP, 0, r(0) == OLD, { W(X_PTE, (uint64_t)0); r(0) = LD(X_PTE); })

/* ---- permissions ------------------------------------------------------------------------------*/

VM1("CoWinvTp.ro+dsb-isb", ALLOWED, STRONG, X_READ_ONLY, r(0) == OLD_RO,
    { W(X_PTE, (uint64_t)0); dsb_isb(); r(0) = T(PTE_X); })
VM1("CoWroW.inv+dsb-isb", FORBIDDEN, STRONG, X_INVALID, WRITABLE(r(0)),
    { W(X_PTE, OLD_RO); dsb_isb(); r(0) = T(PTE_X); })
VM1("CoWroW.rw+dsb-isb", ALLOWED, LATER, 0, WRITABLE(r(0)),
    { W(X_PTE, OLD_RO); dsb_isb(); r(0) = T(PTE_X); })
VM1("CoWrwW.ro+dsb-isb", ALLOWED, STRONG, X_READ_ONLY, r(0) == OLD_RO,
    { W(X_PTE, OLD); dsb_isb(); r(0) = T(PTE_X); })

#define CoTT_ro(title, between)                                                                \
	VM2(title, ALLOWED, STRONG, X_READ_ONLY, r(0) == OLD && r(1) == OLD_RO, { W(X_PTE, OLD); }, \
	    { r(0) = T(PTE_X); between; r(1) = T(PTE_X); })

CoTT_ro("CoTT.ro+po", )
CoTT_ro("CoTT.ro+dmb", dmb())
CoTT_ro("CoTT.ro+dsb-isb", dsb_isb())

/* ---- another thread reads the entry, and translates -------------------------------------------*/

#define CoRpteT(title, verdict, from, load, between)                                           \
	VM2(title, verdict, from, 0, r(0) == 0 && r(1) == OLD, { W(X_PTE, (uint64_t)0); },     \
	    { r(0) = load(X_PTE); between; r(1) = T(PTE_X); })
#define CoRpteTf(title, verdict, from, load, between)                                          \
	VM2(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == FAULT, { W(X_PTE, NEW); }, \
	    { r(0) = load(X_PTE); between; r(1) = T(PTE_X); })

CoRpteT("CoRpteT+dsb", ALLOWED, ESOP, LD, dsb())
CoRpteT("CoRpteT+dsb-isb", ALLOWED, ESOP, LD, dsb_isb())
CoRpteT("CoRpteT+addr", ALLOWED, STRONG, LD_addr, )
CoRpteT("CoRpteT.EL1+dsb-tlbi-dsb-isb", FORBIDDEN, ESOP, LD, dsb(); tlbi(); dsb_isb())
CoRpteTf("CoRpteTf.inv+po", ALLOWED, STRONG, LD, )
CoRpteTf("CoRpteTf.inv+dsb", ALLOWED, ESOP, LD, dsb())
CoRpteTf("CoRpteTf.inv+dsb-isb", FORBIDDEN, ESOP, LD, dsb_isb())
CoRpteTf("CoRpteTf.inv+addr", FORBIDDEN, STRONG, LD_addr, )
CoRpteTf("CoRpteTf.inv+ctrl", ALLOWED, STRONG, LD_ctrl, )
CoRpteTf("CoRpteTf.inv+ctrl-isb", FORBIDDEN, STRONG, LD_ctrl_isb, )

/* ---- it translates, and reads the entry -------------------------------------------------------*/

#define CoTRpte(title, verdict, from, between)                                                 \
	VM2(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == 0, { W(X_PTE, NEW); },     \
	    { r(0) = T(PTE_X); between; r(1) = LD(X_PTE); })
#define CoTfRpte(title, from, translate, between)                                              \
	VM2(title, FORBIDDEN, from, 0, r(0) == FAULT && r(1) == OLD, { W(X_PTE, (uint64_t)0); }, \
	    { r(0) = translate(PTE_X); between; r(1) = LD(X_PTE); })

CoTRpte("CoTRpte.inv+po", ALLOWED, ESOP, )
CoTRpte("CoTRpte.inv+dsb", FORBIDDEN, ESOP, dsb())
CoTRpte("CoTRpte.inv+dsb-isb", FORBIDDEN, ESOP, dsb_isb())
CoTfRpte("CoTfRpte+po", ESOP, T, )
CoTfRpte("CoTfRpte+dsb", ESOP, T, dsb())
CoTfRpte("CoTfRpte+dsb-isb", ESOP, T, dsb_isb())
CoTfRpte("CoTfRpte+addr", STRONG, T_addr, )
CoTfRpte("CoTfRpte+eret", STRONG, T, eret())

/* ---- it translates twice ----------------------------------------------------------------------*/

#define CoTfT(title, between)                                                                  \
	VM2(title, ALLOWED, ESOP, 0, r(0) == FAULT && r(1) == OLD, { W(X_PTE, (uint64_t)0); }, \
	    { r(0) = T(PTE_X); between; r(1) = T(PTE_X); })
#define CoTTf(title, verdict, from, translate, between)                                        \
	VM2(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == FAULT, { W(X_PTE, NEW); }, \
	    { r(0) = translate(PTE_X); between; r(1) = T(PTE_X); })

CoTfT("CoTfT+po", )
CoTfT("CoTfT+dsb-isb", dsb_isb())
CoTTf("CoTTf.inv+po", ALLOWED, ESOP, T, )
CoTTf("CoTTf.inv+dsb-isb", FORBIDDEN, ESOP, T, dsb_isb())
CoTTf("CoTTf.inv+ctrl-isb", FORBIDDEN, STRONG, T_addr, isb())

/* ---- no translation from the future -----------------------------------------------------------*/

VM1("W", ALLOWED, ESOP, X_INVALID, vm.page[0] == NEW, { W(X_PTE, NEW); })
VM1("R.inv", FORBIDDEN, ESOP, X_INVALID, r(0) != FAULT, { r(0) = T(PTE_X); })
VM1("CoTW1.inv", FORBIDDEN, ESOP, X_INVALID, r(0) == NEW, { r(0) = T(PTE_X); W(X_PTE, NEW); })
VM1("CoTWinv", FORBIDDEN, ESOP, 0, r(0) == FAULT, { r(0) = T(PTE_X); W(X_PTE, (uint64_t)0); })
VM2("W+T", ALLOWED, ESOP, X_INVALID, r(0) == NEW, { W(X_PTE, NEW); }, { r(0) = T(PTE_X); })
VM2("LB.TT.inv+pos", FORBIDDEN, ESOP, X_INVALID | Y_INVALID, r(0) == NEW && r(1) == NEW,
    { r(0) = T(PTE_X); W(Y_PTE, NEW); }, { r(1) = T(PTE_Y); W(X_PTE, NEW); })
VM2("S.T+dmb+po", FORBIDDEN, STRONG, Y_INVALID, r(0) == NEW && *z == 1,
    { ST(z); dmb(); W(Y_PTE, NEW); }, { r(0) = T(PTE_Y); ktlb_store_relaxed(z, (uint64_t)2); })

/* ---- MP: x is made invalid, with a flag -------------------------------------------------------*/

#define MP_RT(title, verdict, from, why_not, invalidate, between)                              \
	VM2_BUT(title, verdict, from, why_not, 0, r(0) == 1 && r(1) == OLD,                    \
	        { W(X_PTE, (uint64_t)0); dsb(); invalidate; dsb(); ST(y); },                   \
	        { r(0) = LD(y); between; r(1) = T(PTE_X); })

MP_RT("MP.RT.EL1+dsb-tlbiis-dsb+dsb-isb", FORBIDDEN, ESOP, 0, tlbi_is(), dsb_isb())
MP_RT("MP.RT.EL1+dsb-tlbi-dsb+dsb-isb", ALLOWED, ESOP, 0, tlbi(), dsb_isb())
MP_RT("MP.RT.EL1+dsb-tlbiis-dsb+dmb", ALLOWED, ESOP, TLBI_WAITS, tlbi_is(), dmb())

VM2("S.RT.ro+dsb-tlbiis-dsb+dsb-isb", FORBIDDEN, ESOP, 0, r(0) == 1 && WRITABLE(r(1)),
    { W(X_PTE, OLD_RO); dsb(); tlbi_is(); dsb(); ST(y); },
    { r(0) = LD(y); dsb_isb(); r(1) = T(PTE_X); })
VM2("RBS+dsb-tlbiis-dsb", FORBIDDEN, ESOP, 0, r(0) == OLD && r(1) == 1,
    { W(X_PTE, (uint64_t)0); dsb(); tlbi_is(); dsb(); ST(d); },
    { uint64_t value; r(0) = T_and_LD(PTE_X, d, &value); r(1) = value; })

/* ---- MP: x is made valid, with a flag ---------------------------------------------------------*/

#define MP_RTf(title, verdict, from, why_not, publish, load, between)                          \
	VM2_BUT(title, verdict, from, why_not, X_INVALID, r(0) == 1 && r(1) == FAULT,          \
	        { W(X_PTE, NEW); publish; ST(y); }, { r(0) = load(y); between; r(1) = T(PTE_X); })

MP_RTf("MP.RTf.inv+dmb+po", ALLOWED, ESOP, 0, dmb(), LD, )
MP_RTf("MP.RTf.inv+dmbs", ALLOWED, ESOP, 0, dmb(), LD, dmb())
MP_RTf("MP.RTf.inv+dmb+addr", FORBIDDEN, ESOP, 0, dmb(), LD_addr, )
MP_RTf("MP.RTf.inv+dmb+dsb-isb", FORBIDDEN, ESOP, 0, dmb(), LD, dsb_isb())
MP_RTf("MP.RTf.inv+dmb+ctrl", ALLOWED, STRONG, 0, dmb(), LD_ctrl, )
MP_RTf("MP.RTf.inv+dmb+ctrl-isb", FORBIDDEN, STRONG, 0, dmb(), LD_ctrl_isb, )
MP_RTf("MP.RTf.inv.EL1+dsb-tlbiis-dsb+dsb-isb", FORBIDDEN, ESOP, 0, dsb(); tlbi_is(); dsb(), LD,
      dsb_isb())
MP_RTf("MP.RTf.inv.EL1+dsb-tlbiis-dsb+po", ALLOWED, ESOP, TLBI_WAITS, dsb(); tlbi_is(); dsb(), LD, )
MP_RTf("MP.RTf.inv.EL1+dsb-tlbiis-dsb+addr", FORBIDDEN, STRONG, 0, dsb(); tlbi_is(); dsb(),
      LD_addr, )
MP_RTf("MP.RTf.inv.EL1+dsb-tlbiis-dsb+ctrl-isb", FORBIDDEN, STRONG, 0, dsb(); tlbi_is(); dsb(),
      LD_ctrl_isb, )
MP_RTf("D15347-M-load", ALLOWED, HERD, 0, , LD, )
MP_RTf("D15347-M-load-DMBST+DMBLD", ALLOWED, HERD, 0, dmb_st(), LD, dmb_ld())
MP_RTf("D15347-M-load-DSB+DSB-ISB", FORBIDDEN, HERD, 0, dsb(), LD, dsb_isb())
MP_RTf("D15347-M-load-shoot+po", FORBIDDEN, HERD, 0, dsb(); tlbi_is(); dsb(), LD, )
MP_RTf("D15347-M-load-shoot+DMB.LD", FORBIDDEN, HERD, 0, dsb(); tlbi_is(); dsb(), LD, dmb_ld())
MP_RTf("D15347-M-load-shoot+addr", FORBIDDEN, HERD, 0, dsb(); tlbi_is(); dsb(), LD_addr, )
MP_RTf("D15347-M-load-shoot+ctrl", FORBIDDEN, HERD, 0, dsb(); tlbi_is(); dsb(), LD_ctrl, )
MP_RTf("D15347-M-load-shoot+ctrlisb", FORBIDDEN, HERD, 0, dsb(); tlbi_is(); dsb(), LD_ctrl_isb, )
MP_RTf("D15347-M-load-shoot-noscope+DMB.LD", ALLOWED, HERD, 0, dsb(); tlbi_page_is(1); dsb(), LD,
      dmb_ld())

VM2("MP.RT.inv+dmb+ctrl-trfi", ALLOWED, ESOP, X_INVALID, r(0) == 1 && r(1) == NEW && r(2) == 0,
    { ST(d); dmb(); ST(y); }, { r(0) = LD(y); W(X_PTE, NEW); r(1) = T(PTE_X); r(2) = LD(d); })

/* ---- MP: two pages are made valid; a page, and data -------------------------------------------*/

#define MP_TTf(title, verdict, from, publish, translate, between)                              \
	VM2(title, verdict, from, X_INVALID | Y_INVALID, r(0) == NEW && r(1) == FAULT,         \
	    { W(X_PTE, NEW); publish; W(Y_PTE, NEW); },                                        \
	    { r(0) = translate(PTE_Y); between; r(1) = T(PTE_X); })

MP_TTf("MP.TTf.inv+dsb+po", ALLOWED, ESOP, dsb(), T, )
MP_TTf("MP.TTf.inv+dsbs", ALLOWED, ESOP, dsb(), T, dsb())
MP_TTf("MP.TTf.inv+dsb+dsb-isb", FORBIDDEN, ESOP, dsb(), T, dsb_isb())
MP_TTf("MP.TTf.inv+dsb+ctrl-isb", FORBIDDEN, STRONG, dsb(), T_addr, isb())
MP_TTf("MP.TTf.inv+dmb+po", ALLOWED, STRONG, dmb(), T, )
MP_TTf("MP.TTf.inv+dmb+addr", FORBIDDEN, STRONG, dmb(), T_addr, )
MP_TTf("MP.TTf.inv+dmb+dsb-isb", FORBIDDEN, STRONG, dmb(), T, dsb_isb())

#define MP_TR(title, verdict, from, between)                                                   \
	VM2(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == 0,                         \
	    { ST(d); dmb(); W(X_PTE, NEW); }, { r(0) = T(PTE_X); between; r(1) = LD(d); })

MP_TR("MP.TR.inv+dmb+po", ALLOWED, STRONG, )
MP_TR("MP.TR.inv+dmb+isb", FORBIDDEN, STRONG, isb())
VM2("MP.TfR+dmb+eret", FORBIDDEN, STRONG, 0, r(0) == FAULT && r(1) == 0,
    { ST(d); dmb(); W(X_PTE, (uint64_t)0); }, { r(0) = T(PTE_X); eret(); r(1) = LD(d); })

/* ---- break before make ------------------------------------------------------------------------*/

#define BBM(title, verdict, from, outcome, load, between)                                      \
	VM2(title, verdict, from, 0, outcome,                                                  \
	    { W(X_PTE, (uint64_t)0); dsb(); tlbi_is(); dsb(); W(X_PTE, NEW); dsb(); ST(y); },  \
	    { r(0) = load(y); between; r(1) = T(PTE_X); })

BBM("BBM+dsb-tlbiis-dsb", ALLOWED, ESOP, r(1) == NEW, LD, )
BBM("BBM.Tf+dsb-tlbiis-dsb", ALLOWED, ESOP, r(1) == FAULT, LD, )
BBM("MP.BBM1+dsb-tlbiis-dsb-dsb+dsb-isb", FORBIDDEN, ESOP, r(0) == 1 && r(1) == OLD, LD, dsb_isb())
BBM("MP.BBM1+dsb-tlbiis-dsb-dsb+ctrl-isb", FORBIDDEN, STRONG, r(0) == 1 && r(1) == OLD,
      LD_ctrl_isb, )

/* ---- a table is linked: is the entry seen, and not what it points to? -------------------------*/

#define ROT(title, verdict, between)                                                           \
	VM2(title, verdict, ESOP, FAR_ABSENT, r(0) == LITMUS_NO_PAGE,                          \
	    { W(FAR_PTE, NEW); between; W(FAR_TABLE, POINTER(1)); }, { r(0) = T_far(); })

ROT("ROT.inv+po", ALLOWED, )
ROT("ROT.inv+dmbst", FORBIDDEN, dmb_st())
ROT("ROT.inv+dsb", FORBIDDEN, dsb())

/* ---- another root -----------------------------------------------------------------------------*/

#define SWITCH(title, why_not, id)                                                             \
	VM1_BUT(title, ALLOWED, STRONG, why_not, 0, r(0) == OLD,                               \
	        { load_root(ROOT_B_PA, id); eret(); r(0) = T(PTE_X); })

SWITCH("SwitchTable.same-asid+eret", 0, ID)
SWITCH("SwitchTable.different-asid+eret", NO_TTBR, OTHER_ID)

/* ---- SB: each makes a page valid, and translates the other ------------------------------------*/

#define SB_TfTf(title, verdict, from, between_x, between_y)                                    \
	VM2(title, verdict, from, X_INVALID | Y_INVALID, r(0) == FAULT && r(1) == FAULT,       \
	    { W(X_PTE, NEW); between_x; r(0) = T(PTE_Y); }, { W(Y_PTE, NEW); between_y; r(1) = T(PTE_X); \
	      })

SB_TfTf("SB.TfTf.inv+dsb-isbs", FORBIDDEN, STRONG, dsb_isb(), dsb_isb())
SB_TfTf("SB.TfTf.inv+dmb-ctrl-isbs", FORBIDDEN, STRONG, dmb(); r(2) = LD_ctrl_isb(z), dmb();
      r(3) = LD_ctrl_isb(z))
SB_TfTf("SB.TfTf.inv+rfi-ctrl-isbs", ALLOWED, STRONG, r(2) = LD_ctrl_isb(X_PTE),
      r(3) = LD_ctrl_isb(Y_PTE))
VM2("D15347-SB-DSB+DSB-ISB", FORBIDDEN, HERD, X_INVALID, r(0) == 0 && r(1) == FAULT,
    { W(X_PTE, NEW); dsb(); r(0) = LD(y); }, { ST(y); dsb_isb(); r(1) = T(PTE_X); })

/* ---- three and four threads -------------------------------------------------------------------*/

#define WRC_RRTf(title, verdict, from, load_x, between1, load_y, between2)                     \
	VM3(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == 1 && r(2) == FAULT,        \
	    { W(X_PTE, NEW); }, { r(0) = load_x(X_PTE); between1; ST(y); },                    \
	    { r(1) = load_y(y); between2; r(2) = T(PTE_X); })
#define WRC_TRTf(title, verdict, from, translate, between1, load_y, between2)                  \
	VM3(title, verdict, from, X_INVALID, r(0) == NEW && r(1) == 1 && r(2) == FAULT,        \
	    { W(X_PTE, NEW); }, { r(0) = translate(PTE_X); between1; ST(y); },                 \
	    { r(1) = load_y(y); between2; r(2) = T(PTE_X); })
#define WRC_TfRR(title, verdict, between1, between2)                                           \
	VM3(title, verdict, STRONG, 0, r(0) == FAULT && r(1) == 1 && r(2) == OLD,              \
	    { W(X_PTE, (uint64_t)0); }, { r(0) = T(PTE_X); between1; ST(y); },                 \
	    { r(1) = LD(y); between2; r(2) = LD(X_PTE); })
#define WRC_TfRT(title, verdict, between1, between2)                                           \
	VM3(title, verdict, STRONG, 0, r(0) == FAULT && r(1) == 1 && r(2) == OLD,              \
	    { W(X_PTE, (uint64_t)0); }, { r(0) = T(PTE_X); between1; ST(y); },                 \
	    { r(1) = LD(y); between2; r(2) = T(PTE_X); })

WRC_RRTf("WRC.RRTf.inv+pos", ALLOWED, ESOP, LD, , LD, )
WRC_RRTf("WRC.RRTf.inv+dmbs", ALLOWED, ESOP, LD, dmb(), LD, dmb())
WRC_RRTf("WRC.RRTf.inv+dsbs", ALLOWED, ESOP, LD, dsb(), LD, dsb())
WRC_RRTf("WRC.RRTf.inv+addrs", FORBIDDEN, ESOP, LD_addr, , LD_addr, )
WRC_RRTf("WRC.RRTf.inv+dmb+dsb-isb", FORBIDDEN, STRONG, LD, dmb(), LD, dsb_isb())
WRC_RRTf("WRC.RRTf.inv+dsb+dsb-isb", FORBIDDEN, STRONG, LD, dsb(), LD, dsb_isb())
WRC_RRTf("WRC.RRTf.inv+dsb+ctrl-isb", FORBIDDEN, STRONG, LD, dsb(), LD_ctrl_isb, )
WRC_TRTf("WRC.TRTf.inv+pos", ALLOWED, ESOP, T, , LD, )
WRC_TRTf("WRC.TRTf.inv+dmbs", ALLOWED, ESOP, T, dmb(), LD, dmb())
WRC_TRTf("WRC.TRTf.inv+addrs", FORBIDDEN, ESOP, T_addr, , LD_addr, )
WRC_TRTf("WRC.TRTf.inv+dsb+dsb-isb", FORBIDDEN, ESOP, T, dsb(), LD, dsb_isb())
WRC_TRTf("WRC.TRTf.inv+po+dsb-isb", FORBIDDEN, STRONG, T, , LD, dsb_isb())
WRC_TfRR("WRC.TfRR+pos", ALLOWED, , )
WRC_TfRR("WRC.TfRR+po+dsb", FORBIDDEN, , dsb())
WRC_TfRR("WRC.TfRR+dmbs", FORBIDDEN, dmb(), dmb())
WRC_TfRR("WRC.TfRR+dsbs", FORBIDDEN, dsb(), dsb())
WRC_TfRR("WRC.TfRR+ctrl-isb+dsb", FORBIDDEN, isb(), dsb())
WRC_TfRR("WRC.TfRR+dsb-isb+dsb", FORBIDDEN, dsb_isb(), dsb())
WRC_TfRT("WRC.TfRT+po+dsb-isb", ALLOWED, , dsb_isb())
WRC_TfRT("WRC.TfRT+dsb-tlbiis-dsb+dsb-isb", FORBIDDEN, dsb(); tlbi_is(); dsb(), dsb_isb())

VM3("WRC.TTTf.inv+addrs", FORBIDDEN, ESOP, X_INVALID | Y_INVALID,
      r(0) == NEW && r(1) == NEW && r(2) == FAULT,
    { W(X_PTE, NEW); }, { r(0) = T_addr(PTE_X); W(Y_PTE, r(0) ? NEW : (uint64_t)0); },
    { r(1) = T_addr(PTE_Y); r(2) = T(PTE_X); })
VM3("ISA2.RRTf.inv+dsb+addr+addr", FORBIDDEN, STRONG, X_INVALID,
      r(0) == 1 && r(1) == 1 && r(2) == FAULT,
    { W(X_PTE, NEW); dsb(); ST(y); }, { r(0) = LD_addr(y); ST(z); }, { r(1) = LD_addr(z);
      r(2) = T(PTE_X); })
VM3("ISA2.RRTf.inv+dsb+data+addr", FORBIDDEN, STRONG, X_INVALID,
      r(0) == 1 && r(1) == 1 && r(2) == FAULT,
    { W(X_PTE, NEW); dsb(); ST(y); }, { r(0) = LD_data(y); ktlb_store_relaxed(z, r(0)); },
    { r(1) = LD_addr(z); r(2) = T(PTE_X); })
VM3("RWC.RTfR.inv+addr+dmb", FORBIDDEN, STRONG, Y_INVALID, r(0) == 1 && r(1) == FAULT && r(2) == 0,
    { ST(d); }, { r(0) = LD_addr(d); r(1) = T(PTE_Y); }, { W(Y_PTE, NEW); dmb(); r(2) = LD(d); })
VM4("IRIW.TTf.TTf.inv+addrs", FORBIDDEN, STRONG, X_INVALID | Y_INVALID,
    r(0) == NEW && r(1) == FAULT && r(2) == NEW && r(3) == FAULT,
    { W(X_PTE, NEW); }, { W(Y_PTE, NEW); }, { r(0) = T_addr(PTE_X); r(1) = T(PTE_Y); },
    { r(2) = T_addr(PTE_Y); r(3) = T(PTE_X); })
/* clang-format on */

#endif /* arm64 */
