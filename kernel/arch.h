/* SPDX-License-Identifier: MIT */
/*
 * What an architecture supplies to the portable half, and what it calls there. Constants and the
 * small inline functions are in its <arch_defs.h>:
 *
 *   PAGE_SHIFT, PAGE_SIZE
 *   ARCH_TABLE_LEVELS, ARCH_TABLE_BITS   a tree of that many levels, 2^bits entries of 8 bytes each
 *   ARCH_USER_END                        the first address above the user's half
 *   ARCH_LINEAR_OFFSET                   from a physical address to where the kernel sees it
 *   ARCH_RAM_START, ARCH_RAM_END         physical
 *   ARCH_WINDOW, ARCH_WINDOW_PAGES       kernel addresses that the kernel remaps; pages, no blocks
 *   THREAD_BLOCK_SIZE, THREAD_STACK_END, THREAD_ARCH_OFFSET   the layout of struct thread_block
 *   struct arch_thread                   what arch_switch saves outside the stack
 *   arch_current()                       the running thread
 *   arch_irq_save(), arch_irq_restore()  interrupts of this CPU
 *   arch_clock()                         a clock that all CPUs share and that never stops
 *   arch_entry_*()                       page-table entries, below
 *
 * A page-table entry is one of four things, and 0 is the first:
 *   empty    leads nowhere
 *   table    arch_entry_table(page)         in all levels but the last
 *   page     arch_entry_page(page, prot)    the only one that the hardware may use or cache
 *   demand   arch_entry_demand(prot)        a page of zeroes will be put here when touched
 */
#ifndef ARCH_H
#define ARCH_H

#include <kernel.h>

/* ---- page-table entries, inline in arch_defs.h ------------------------------------------------*/

static inline uint64_t arch_entry_table(uint64_t page);
static inline uint64_t arch_entry_page(uint64_t page, uint32_t prot);
static inline uint64_t arch_entry_demand(uint32_t prot);
static inline int arch_entry_is_page(uint64_t entry);
static inline int arch_entry_is_demand(uint64_t entry);
static inline uint64_t arch_entry_address(uint64_t entry); /* of a table or page */
static inline uint32_t arch_entry_prot(uint64_t entry);    /* of a page or demand one */

/* ---- functions --------------------------------------------------------------------------------*/

/* The machine around the CPUs. */
void arch_console_put(char c);
void arch_cmdline(char *to, size_t size);
__attribute__((noreturn)) void arch_exit(int code);
uint64_t arch_clock_hz(void);
uint64_t arch_empty_root(void);    /* of no user space: ktlb_config.kernel_root */
void arch_new_root(uint64_t root); /* a page of zeroes becomes a top-level table */

/* CPUs. The boot CPU is number 0 and runs on the stack of `boot_block`. */
uint32_t arch_count_cpus(void);
void arch_start_cpu(uint32_t cpu, struct thread *first); /* it calls kernel_start_cpu on `first` */
uint32_t arch_cpu_number(void);                          /* from the hardware itself */

/* The CPU itself, interrupts off, writes no memory any more; others ask whether it can be started. */
__attribute__((noreturn)) void arch_cpu_off(void);
int arch_cpu_is_off(uint32_t cpu);

/* Interrupts: of this CPU. */
void arch_interrupts_init(void);
void arch_timer_start(uint64_t first, uint64_t period); /* in ticks of arch_clock */
void arch_timer_stop(void);
void arch_kick(uint32_t cpu); /* an interrupt; what this CPU wrote before is seen by its handler */
/* Interrupts off, before and after: returns once one is pending, or was taken meanwhile. */
void arch_wait_for_interrupt(void);

/* Threads. The first makes a new stack end in kernel_thread_main, the second in user mode. */
void arch_thread_kernel(struct thread *thread);
void arch_thread_user(struct thread *thread, uint64_t pc, uint64_t sp, uint64_t arg0,
                      uint64_t arg1);
struct thread *arch_switch(struct thread *from, struct thread *to); /* who ran before `to` */

/* The kernel's half: a window page's entry; a read that survives a fault: 0 if there was none. */
uint64_t *arch_window_entry(uint64_t page);
uint64_t arch_window_page(uint64_t page); /* an entry for it: writable, global */
int arch_probe(uint64_t va, uint64_t *value);

#if KTLB_CFG_WATCHDOG && KTLB_ARCH_INTERRUPTS
extern uint32_t port_stuck_reports; /* of CPUs that do not answer, atomic */
#endif

/* The user programs: one flat image, in the kernel's own, at a page boundary. */
extern const char arch_user_image[], arch_user_image_end[];

/* ---- what the architecture calls --------------------------------------------------------------*/

extern struct thread_block boot_block;

__attribute__((noreturn)) void kernel_start(void);
__attribute__((noreturn)) void kernel_start_cpu(void);

/* A new thread's first instructions; `before` is what arch_switch returned. Interrupts off. */
__attribute__((noreturn)) void kernel_thread_main(struct thread *before);
void kernel_thread_user(struct thread *before);

/* From the timer's interrupt, interrupts off, after it was acknowledged. */
void kernel_tick(void);

/* An exception in user mode, interrupts on. Returns where the thread goes on, 0: where it was. */
uint64_t kernel_user_fault(uint64_t va, uint64_t pc, enum vm_access access);
void kernel_user_bad(const char *what, uint64_t pc); /* one that is always the program's fault */
void kernel_user_return(void); /* before each return to user mode, interrupts off */

#endif /* ARCH_H */
