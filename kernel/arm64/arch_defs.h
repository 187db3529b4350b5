/* SPDX-License-Identifier: MIT */
/*
 * arm64's constants and inline functions for arch.h, which says what they are for.
 *
 * A user's page entry is not global and never executable by the kernel. A demand entry keeps the
 * permission bits of the page that it stands for. It is invalid to the hardware, which ignores all
 * other bits of such an entry (Arm ARM DDI 0487, "Invalid descriptors").
 */
#ifndef ARCH_DEFS_H
#define ARCH_DEFS_H

#include <stdint.h>

#include <ktlb_arch/insn.h>

#include <abi.h>
#include <layout.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE  (UINT64_C(1) << PAGE_SHIFT)

#define ARCH_TABLE_LEVELS  3
#define ARCH_TABLE_BITS    9
#define ARCH_USER_END      (UINT64_C(1) << 39)
#define ARCH_LINEAR_OFFSET UINT64_C(LINEAR_OFFSET)
#define ARCH_RAM_START     UINT64_C(RAM_START)
#define ARCH_RAM_END       UINT64_C(RAM_END)
#define ARCH_WINDOW        UINT64_C(WINDOW)
#define ARCH_WINDOW_PAGES  512

struct thread;

struct arch_thread {
	uint64_t sp;
};

#define sysreg_read(name)                                                       \
	__extension__({                                                         \
		uint64_t value_;                                                \
		__asm__ volatile("mrs %0, " #name : "=r"(value_) : : "memory"); \
		value_;                                                         \
	})

#define sysreg_write(name, value) \
	__asm__ volatile("msr " #name ", %0" : : "r"((uint64_t)(value)) : "memory")

/* Not volatile: on one stack the answer is always the same, so the compiler may keep it. */
static inline struct thread *arch_current(void)
{
	struct thread *thread;

	__asm__("mrs %0, sp_el0" : "=r"(thread));
	return thread;
}

/*
 * DAIF.I. The clobber keeps the compiler from moving memory accesses across; the CPU itself takes
 * PSTATE writes in program order, no ISB needed (Arm ARM DDI 0487, "Accessing PSTATE fields").
 */
static inline uint64_t arch_irq_save(void)
{
	uint64_t saved = sysreg_read(daif);

	__asm__ volatile("msr daifset, #2" : : : "memory");
	return saved;
}

static inline void arch_irq_restore(uint64_t saved)
{
	sysreg_write(daif, saved);
}

/* The ISB keeps the read from being done early, before what the caller did so far. */
static inline uint64_t arch_clock(void)
{
	__asm__ volatile("isb" : : : "memory");
	return sysreg_read(cntvct_el0);
}

/* ---- page-table entries -----------------------------------------------------------------------*/

static inline uint64_t arch_prot_bits(uint32_t prot)
{
	return (prot & PROT_WRITE ? 0 : DESC_RO) | (prot & PROT_EXEC ? 0 : DESC_UXN);
}

static inline uint64_t arch_entry_table(uint64_t page)
{
	return page | DESC_TABLE | DESC_VALID;
}

static inline uint64_t arch_entry_page(uint64_t page, uint32_t prot)
{
	return page | arch_prot_bits(prot) | DESC_PXN | DESC_NG | DESC_EL0 | DESC_MEMORY |
	       DESC_TABLE | DESC_VALID;
}

static inline uint64_t arch_entry_demand(uint32_t prot)
{
	return arch_prot_bits(prot) | DESC_DEMAND;
}

static inline int arch_entry_is_page(uint64_t entry)
{
	return entry & DESC_VALID;
}

static inline int arch_entry_is_demand(uint64_t entry)
{
	return (entry & DESC_DEMAND) != 0;
}

static inline uint64_t arch_entry_address(uint64_t entry)
{
	return entry & DESC_ADDRESS;
}

static inline uint32_t arch_entry_prot(uint64_t entry)
{
	return PROT_READ | (entry & DESC_RO ? 0 : PROT_WRITE) | (entry & DESC_UXN ? 0 : PROT_EXEC);
}

#endif /* ARCH_DEFS_H */
