/* SPDX-License-Identifier: MIT */
/*
 * What the TLB and the CPUs of the simulated machine need of the rest of it, as little as possible:
 * memory whose walkers read what the test says, points that only count, violations that are noted.
 *
 * The world: two spaces with a page at the same address, and the kernel.
 */
#ifndef SIM_TEST_STUB_H
#define SIM_TEST_STUB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim.h"
#include "tlb.h"

#define USER   ((uint64_t)0x40000000)
#define KERNEL ((uint64_t)0xffff800000000000)
#define PAGE   ((uint64_t)1 << TLB_PAGE_SHIFT)
#define BLOCK  ((uint64_t)1 << TLB_UPPER_SHIFT)

enum {
	EMPTY_ROOT = 0x9000,
	KERNEL_ROOT = 0x1000,
	KERNEL_TABLE = 0x2000,
	A_ROOT = 0xa000,
	A_TABLE = 0xb000,
	B_ROOT = 0xc000,
	B_TABLE = 0xd000,
};

#define A_PAGES 20 /* more than a contiguous group */

/* Numbers of the world's entries: the upper ones, and the first of the pages. */
struct world {
	unsigned kernel_upper, kernel_page, a_upper, a_page, b_upper, b_page;
};
extern struct world w;

/* A fresh world, from set-up into a run of cpu0, under sequential consistency; `lagging`: walkers
 * may read every store until a barrier says otherwise. */
void world_begin(void);
void lagging(void);
/* To give a table or an entry its value before the run. */
void set_up(unsigned pte, uint64_t value);
void run_begin(void);
void run_again(void);

void on(uint32_t cpu);
/* By the CPU that acts; the version. */
unsigned store(unsigned pte, uint64_t value);

uint64_t leaf(uint64_t address, uint64_t flags);
uint64_t pointer(uint64_t table);

extern const char *violated;
extern unsigned points, serialised, dsbs, dsb_sts;
extern unsigned next_choice;

#define is_clean() assert_null(violated)
#define is_violated(name)                            \
	do {                                         \
		assert_non_null(violated);           \
		assert_string_equal(violated, name); \
		violated = 0;                        \
	} while (0)

#define V(version) ((uint64_t)1 << (version))

#endif /* SIM_TEST_STUB_H */
