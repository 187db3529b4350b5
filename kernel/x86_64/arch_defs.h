/* SPDX-License-Identifier: MIT */
/*
 * x86-64's constants and inline functions for arch.h, which says what they are for.
 *
 * A user's page entry is not global. A demand entry keeps the permission bits of the page that it
 * stands for. It is not present, and then the hardware ignores all other bits (Intel SDM volume 3,
 * "4-Level Paging and 5-Level Paging").
 */
#ifndef ARCH_DEFS_H
#define ARCH_DEFS_H

#include <stdint.h>

#include <ktlb/cpu.h>
#include <ktlb_arch/insn.h>

#include <abi.h>
#include <layout.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE  (UINT64_C(1) << PAGE_SHIFT)

#define ARCH_TABLE_LEVELS  4
#define ARCH_TABLE_BITS    9
#define ARCH_USER_END      (UINT64_C(1) << 47)
#define ARCH_LINEAR_OFFSET UINT64_C(LINEAR_OFFSET)
#define ARCH_RAM_START     UINT64_C(RAM_START)
#define ARCH_RAM_END       UINT64_C(RAM_END)
#define ARCH_WINDOW        UINT64_C(WINDOW)
#define ARCH_WINDOW_PAGES  512

struct thread;

struct arch_thread {
	uint64_t sp;
};

/*
 * The running thread: a per-CPU variable, written by arch_switch. A CPU that is not online yet has
 * a GS base of 0 and so finds the original, in which its starter has left the thread (machine.c).
 */
KTLB_PERCPU_DECLARE(struct thread *, current_thread);

/* Not volatile: on one stack the answer is always the same, so the compiler may keep it. */
static inline struct thread *arch_current(void)
{
	struct thread *thread;

	__asm__("mov %%gs:%a1, %0" : "=r"(thread) : "i"(&current_thread));
	return thread;
}

/* RFLAGS.IF, upside down: 0 is "on". The clobber keeps memory accesses from being moved across. */
static inline uint64_t arch_irq_save(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq\n\tpop %0\n\tcli" : "=r"(flags) : : "memory");
	return ~flags >> 9 & 1;
}

static inline void arch_irq_restore(uint64_t saved)
{
	if (saved)
		__asm__ volatile("cli" : : : "memory");
	else
		__asm__ volatile("sti" : : : "memory");
}

/* LFENCE keeps the counter from being read early (Intel SDM volume 2, "RDTSC"). */
static inline uint64_t arch_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* ---- page-table entries -----------------------------------------------------------------------*/

static inline uint64_t arch_prot_bits(uint32_t prot)
{
	return (prot & PROT_WRITE ? PTE_WRITE : 0) | (prot & PROT_EXEC ? 0 : PTE_NX);
}

static inline uint64_t arch_entry_table(uint64_t page)
{
	return page | PTE_USER | PTE_TABLE;
}

static inline uint64_t arch_entry_page(uint64_t page, uint32_t prot)
{
	return page | arch_prot_bits(prot) | PTE_USER | PTE_MEMORY;
}

static inline uint64_t arch_entry_demand(uint32_t prot)
{
	return arch_prot_bits(prot) | PTE_DEMAND;
}

static inline int arch_entry_is_page(uint64_t entry)
{
	return entry & PTE_PRESENT;
}

static inline int arch_entry_is_demand(uint64_t entry)
{
	return (entry & PTE_DEMAND) != 0;
}

static inline uint64_t arch_entry_address(uint64_t entry)
{
	return entry & PTE_ADDRESS;
}

static inline uint32_t arch_entry_prot(uint64_t entry)
{
	return PROT_READ | (entry & PTE_WRITE ? PROT_WRITE : 0) | (entry & PTE_NX ? 0 : PROT_EXEC);
}

#endif /* ARCH_DEFS_H */
