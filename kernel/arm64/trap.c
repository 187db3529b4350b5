/* SPDX-License-Identifier: MIT */
/*
 * Exceptions in C, new threads' first stacks, and what is left of the page tables.
 *
 * Interrupts are masked when an exception arrives. They go on again for what user mode has asked
 * for or done, and stay off for interrupts and for the way back.
 */
#include <arch.h>

#include "trap.h"

struct frame {
	uint64_t x[31];
	uint64_t sp;
	uint64_t pc;
	uint64_t pstate;
};

_Static_assert(offsetof(struct frame, x[30]) == FRAME_LR, "trap.S stores it there");
_Static_assert(offsetof(struct frame, pc) == FRAME_ELR, "trap.S stores it there");
_Static_assert(sizeof(struct frame) == FRAME_SIZE, "trap.S reserves that much");

void trap_kernel_sync(struct frame *frame);
void trap_kernel_irq(struct frame *frame);
void trap_user_sync(struct frame *frame);
void trap_user_irq(struct frame *frame);
void trap_bad(struct frame *frame);

extern const char arch_probe_load[], arch_probe_failed[];
extern const char thread_kernel_entry[], thread_user_entry[];

/* ESR_EL1.EC and the fault status codes, Arm ARM DDI 0487, "ESR_EL1". */
#define EC(esr)              ((esr) >> 26 & 0x3f)
#define EC_SVC               0x15
#define EC_FETCH_ABORT_LOWER 0x20
#define EC_DATA_ABORT_LOWER  0x24
#define EC_DATA_ABORT_SAME   0x25
#define ESR_WRITE            (1u << 6)
#define STATUS_KIND(esr)     ((esr) >> 2 & 0xf)
#define STATUS_TRANSLATION   1
#define STATUS_PERMISSION    3

#define ADDRESS(symbol) ((uint64_t)(uintptr_t)(symbol))

static int is_page_fault(uint64_t esr)
{
	return STATUS_KIND(esr) == STATUS_TRANSLATION || STATUS_KIND(esr) == STATUS_PERMISSION;
}

void trap_kernel_sync(struct frame *frame)
{
	uint64_t esr = sysreg_read(esr_el1);

	if (frame->pc == ADDRESS(arch_probe_load) && EC(esr) == EC_DATA_ABORT_SAME &&
	    is_page_fault(esr)) {
		frame->pc = ADDRESS(arch_probe_failed);
		return;
	}
	panic("CPU %u: exception in the kernel: pc %lx esr %lx address %lx", arch_cpu_number(),
	      frame->pc, esr, sysreg_read(far_el1));
}

void trap_kernel_irq(struct frame *frame)
{
	(void)frame;
	machine_interrupt();
}

void trap_user_irq(struct frame *frame)
{
	(void)frame;
	machine_interrupt();
	kernel_user_return();
}

void trap_user_sync(struct frame *frame)
{
	/* Read before interrupts are on: another exception overwrites them. */
	uint64_t esr = sysreg_read(esr_el1), va = sysreg_read(far_el1), go = 0;
	enum vm_access access = esr & ESR_WRITE ? VM_WRITE : VM_READ;
	uint64_t irq = sysreg_read(daif);

	arch_irq_restore(0);
	if (EC(esr) == EC_SVC)
		syscall(frame->x[8], frame->x);
	else if (EC(esr) == EC_DATA_ABORT_LOWER && is_page_fault(esr))
		go = kernel_user_fault(va, frame->pc, access);
	else if (EC(esr) == EC_FETCH_ABORT_LOWER && is_page_fault(esr))
		go = kernel_user_fault(va, frame->pc, VM_EXECUTE);
	else
		kernel_user_bad("an exception", frame->pc);
	if (go)
		frame->pc = go;
	arch_irq_restore(irq);
	kernel_user_return();
}

void trap_bad(struct frame *frame)
{
	panic("CPU %u: an exception that cannot be: pc %lx esr %lx", arch_cpu_number(), frame->pc,
	      sysreg_read(esr_el1));
}

/* ---- new threads ------------------------------------------------------------------------------*/

/* A stack that arch_switch returns from to `entry`. */
static void first_switch(struct thread *thread, uint64_t top, const char *entry)
{
	uint64_t *saved = (uint64_t *)(uintptr_t)(top - SWITCH_SIZE);

	for (uint32_t i = 0; i < SWITCH_SIZE / sizeof(uint64_t); i++)
		saved[i] = 0;
	saved[SWITCH_X30 / sizeof(uint64_t)] = ADDRESS(entry);
	thread->arch.sp = ADDRESS(saved);
}

void arch_thread_kernel(struct thread *thread)
{
	first_switch(thread, ADDRESS(thread), thread_kernel_entry);
}

void arch_thread_user(struct thread *thread, uint64_t pc, uint64_t sp, uint64_t arg0, uint64_t arg1)
{
	struct frame *frame = (struct frame *)thread - 1;

	for (uint32_t i = 0; i < ARRAY_LENGTH(frame->x); i++)
		frame->x[i] = 0;
	frame->x[0] = arg0;
	frame->x[1] = arg1;
	frame->sp = sp;
	frame->pc = pc;
	frame->pstate = 0; /* EL0, 64 bits, nothing masked */
	first_switch(thread, ADDRESS(frame), thread_user_entry);
}

/* ---- the kernel's half ------------------------------------------------------------------------*/

extern uint64_t arch_window_table[];
extern const uint64_t arch_empty_table[];

uint64_t *arch_window_entry(uint64_t page)
{
	return &arch_window_table[page];
}

uint64_t arch_window_page(uint64_t page)
{
	return page | DESC_PXN | DESC_UXN | DESC_MEMORY | DESC_TABLE | DESC_VALID;
}

uint64_t arch_empty_root(void)
{
	return ADDRESS(arch_empty_table) - ARCH_LINEAR_OFFSET;
}

/* The kernel's half has a root of its own. */
void arch_new_root(uint64_t root)
{
	(void)root;
}
