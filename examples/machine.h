/* SPDX-License-Identifier: 0BSD */
/*
 * What an example asks of its machine. boot.S and port.c of each architecture answer it; no more is
 * needed for a kernel that runs address spaces on two CPUs.
 *
 * An address space of an example maps one page, at USER_VA, to a frame of the kernel's. The kernel
 * itself reads there: nothing of ktlb needs a user mode.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

#include <ktlb/atomic.h>
#include <ktlb/cpu.h>
#include <ktlb/ktlb.h>

#include <arch.h> /* LEVELS, LINEAR, ENTRY_TABLE, ENTRY_PAGE, ROOT_KERNEL_SLOT */

#ifdef __cplusplus
extern "C" {
#endif

#define CPUS    2
#define USER_VA UINT64_C(0x10000)

/* port.c */
void machine_print(const char *text);
__attribute__((noreturn)) void machine_exit(int failed);
void machine_start_cpu(void);                      /* CPU 1, which then calls kernel_cpu_1 */
void machine_interrupts_on(void);                  /* of this CPU */
void machine_interrupts_off(void);                 /* of this CPU */
void port_start(uint32_t cpus, uint32_t id_limit); /* ktlb_init; the boot CPU, once */
void port_start_cpu(uint32_t cpu);                 /* ktlb_cpu_online; every CPU */

/* The example: boot.S calls them with interrupts off. Neither returns. */
void kernel_main(void);
void kernel_cpu_1(void);

/* The tables of one space: of each level one. */
struct tables {
	uint64_t level[LEVELS][512];
} __attribute__((aligned(4096)));

struct frame {
	uint64_t word[512];
} __attribute__((aligned(4096)));

static inline uint64_t physical(const void *p)
{
	return (uint64_t)(uintptr_t)p - LINEAR;
}

/* The entry of the page at USER_VA. */
static inline uint64_t *tables_entry(struct tables *t)
{
	return &t->level[LEVELS - 1][USER_VA >> 12];
}

/* Makes the path down to that entry; returns what the space's root register takes. */
static inline uint64_t tables_init(struct tables *t)
{
#ifdef ROOT_KERNEL_SLOT /* one root for both halves: the kernel's part is the same in all */
	extern uint64_t kernel_root[512];

	t->level[0][ROOT_KERNEL_SLOT] = kernel_root[ROOT_KERNEL_SLOT];
#endif
	for (uint32_t i = 0; i + 1 < LEVELS; i++)
		t->level[i][0] = physical(t->level[i + 1]) | ENTRY_TABLE;
	return physical(t);
}

/* A first mapping: from invalid to valid there is nothing to flush. */
static inline void map(struct tables *t, const struct frame *frame)
{
	ktlb_store_relaxed(tables_entry(t), physical(frame) | ENTRY_PAGE);
	ktlb_publish();
}

/* Another frame: break, flush, make. Between the two no CPU may use the page, or it faults. */
static inline void remap(struct ktlb_space *space, struct tables *t, const struct frame *frame)
{
	ktlb_store_relaxed(tables_entry(t), (uint64_t)0);
	ktlb_flush_page(space, USER_VA, KTLB_LEAF_ONLY);
	map(t, frame);
}

/* What this CPU sees in the space that it has loaded. */
static inline uint64_t look(void)
{
	return *(const volatile uint64_t *)(uintptr_t)USER_VA;
}

static inline void expect(uint64_t got, uint64_t want, const char *otherwise)
{
	if (got == want)
		return;
	machine_print("FAILED: ");
	machine_print(otherwise);
	machine_print("\n");
	machine_exit(1);
}

#ifdef __cplusplus
}
#endif

#endif /* MACHINE_H */
