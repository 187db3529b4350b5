/* SPDX-License-Identifier: MIT */
/*
 * A fake x86-64 machine for unit tests: CR3, CR4 and the GS base of each CPU, a log of the privileged
 * instructions, a TLB, interrupts that arrive while somebody waits, and ktlb's port.
 *
 * The TLB is kept as the set of what could be cached, per PCID and page the version of the entry:
 * fake_touch fills it, INVLPG, INVPCID and MOV to CR3 empty it as the manual says. One CPU runs at a
 * time; races inside a step are the checker's.
 */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdint.h>

#define FAKE_CPUS  8
#define FAKE_PCIDS 8
#define FAKE_PAGES 64 /* page n of a user's half is at n << 12 */

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
};

extern struct fake_cpu fake_cpu[FAKE_CPUS];
extern uint32_t fake_cpuid1_ecx, fake_cpuid7_ebx;

#define FAKE_LOG 4096
extern struct fake_event fake_log[FAKE_LOG];
extern unsigned fake_events;

/* The page table of the space whose root is n << 20: versions of its entries. */
#define FAKE_ROOTS 32
extern uint64_t fake_version[FAKE_ROOTS][FAKE_PAGES];

struct fake_cpu *fake_this(void);
uint32_t fake_this_number(void);
void fake_run_on(uint32_t cpu);
void fake_write_cr3(uint64_t value);
void fake_write_cr4(uint64_t value);
void fake_invlpg(uint64_t va);
void fake_invpcid(uint64_t type, uint64_t pcid, uint64_t va);
void fake_relax(void);

/* Delivers what interrupts are pending, where they are not masked. */
void fake_interrupts(void);
extern int fake_no_delivery; /* interrupts stay pending: only polling serves */

/* This CPU uses a page of the loaded root: the version that it sees. */
uint64_t fake_touch(uint32_t page);

/* CPUs with these features, CR4.PGE set or not; then ktlb_init and all CPUs online. */
void fake_start(uint32_t cpus, int pcid, int invpcid, int pge);

extern jmp_buf fake_fail_jump;
extern const char *fake_sentence;
extern int fake_expects_fail;
#define FAKE_SENTENCE_OF(statement)                                                        \
	(fake_sentence = 0, fake_expects_fail = 1,                                         \
	 setjmp(fake_fail_jump) == 0 ? (void)(statement) : (void)0, fake_expects_fail = 0, \
	 fake_sentence)

#define FAKE_KERNEL_ROOT 0x7f00000ull

#endif /* FAKE_H */
