/* SPDX-License-Identifier: MIT */
/*
 * Exceptions in C, the tables that lead to them, new threads' first stacks, and what is left of the
 * page tables.
 *
 * All gates are interrupt gates: interrupts are masked on entry. They go on again for what user
 * mode has asked for or done, and stay off for interrupts and for the way back.
 *
 * Layouts: Intel SDM volume 3, "64-Bit Mode Segment Descriptors", "64-Bit Mode IDT", "Task
 * Management in 64-bit Mode", "Page-Fault Exceptions".
 */
#include <arch.h>

#include "machine.h"

struct frame {
	uint64_t arg[6]; /* rdi, rsi, rdx, rcx, r8, r9 */
	uint64_t rax, rbx, rbp, r10, r11, r12, r13, r14, r15;
	uint64_t vector, error;
	uint64_t pc, cs, flags, sp, ss;
};

_Static_assert(offsetof(struct frame, vector) == FRAME_VECTOR, "trap.S looks there");
_Static_assert(offsetof(struct frame, cs) == FRAME_CS, "trap.S looks there");
_Static_assert(sizeof(struct frame) == FRAME_SIZE, "16-byte aligned, as the CPU aligns its part");

void trap(struct frame *frame);
void trap_bad(struct frame *frame);

extern const char trap_stubs[], arch_probe_load[], arch_probe_failed[];
extern const char thread_kernel_entry[], thread_user_entry[];

#define ADDRESS(symbol) ((uint64_t)(uintptr_t)(symbol))

#define IS_USER(selector) (((selector)&3) == 3)

/* Of a page fault's error code. */
#define FAULT_WRITE    (1u << 1)
#define FAULT_RESERVED (1u << 3)
#define FAULT_FETCH    (1u << 4)

#define FLAGS_FIXED 0x2
#define FLAGS_IF    0x200

/*
 * Where a program may go on. IRET to an address that is not canonical would fault in the kernel;
 * address 0 faults in the program.
 */
static uint64_t user_pc(uint64_t pc)
{
	return pc < ARCH_USER_END ? pc : 0;
}

static void trap_from_user(struct frame *frame)
{
	/* Read before interrupts are on: another fault overwrites it. */
	uint64_t va = read_cr2(), go = 0;

	arch_irq_restore(0);
	if (frame->vector == VECTOR_SYSCALL)
		syscall(frame->rax, frame->arg);
	else if (frame->vector == VECTOR_PAGE_FAULT && !(frame->error & FAULT_RESERVED))
		go = kernel_user_fault(va, frame->pc,
		                       frame->error & FAULT_FETCH   ? VM_EXECUTE
		                       : frame->error & FAULT_WRITE ? VM_WRITE
		                                                    : VM_READ);
	else
		kernel_user_bad("an exception", frame->pc);
	if (go)
		frame->pc = user_pc(go);
	arch_irq_save();
}

static void trap_from_kernel(struct frame *frame)
{
	if (frame->pc == ADDRESS(arch_probe_load) && frame->vector == VECTOR_PAGE_FAULT &&
	    !(frame->error & FAULT_RESERVED)) {
		frame->pc = ADDRESS(arch_probe_failed);
		return;
	}
	trap_bad(frame);
}

void trap(struct frame *frame)
{
	if (frame->vector >= VECTOR_TIMER && frame->vector != VECTOR_SYSCALL)
		machine_interrupt(frame->vector);
	else if (IS_USER(frame->cs))
		trap_from_user(frame);
	else
		trap_from_kernel(frame);
	if (IS_USER(frame->cs))
		kernel_user_return();
}

/* Asks for nothing that is per CPU: trap.S says why. */
void trap_bad(struct frame *frame)
{
	panic("CPU %u: exception %lu in the kernel: pc %lx error %lx sp %lx address %lx",
	      arch_cpu_number(), frame->vector, frame->pc, frame->error, frame->sp, read_cr2());
}

/* ---- descriptor tables ------------------------------------------------------------------------*/

/* Indexed by the SELECTOR_* of layout.h; then two entries for each CPU's task state. */
uint64_t gdt[SELECTOR_TSS / 8 + 2 * MAX_CPUS] = {
	[SELECTOR_CODE32 / 8] = 0x00cf9b000000ffff,
	[SELECTOR_DATA32 / 8] = 0x00cf93000000ffff,
	[SELECTOR_KERNEL_CODE / 8] = 0x00af9b000000ffff,
	[SELECTOR_USER_CODE / 8] = 0x00affb000000ffff,
	[SELECTOR_USER_DATA / 8] = 0x00cff3000000ffff,
};

struct tss {
	uint32_t reserved_0;
	uint64_t rsp[3];
	uint64_t reserved_1;
	uint64_t ist[7];
	uint64_t reserved_2;
	uint16_t reserved_3;
	uint16_t io_map; /* at or beyond the limit: no ports for user mode */
} __attribute__((packed));

_Static_assert(offsetof(struct tss, rsp) == TSS_RSP0, "arch_switch writes it");

/* rsp[0] by arch_switch: where the running thread's stack begins. */
KTLB_PERCPU_DECLARE(struct tss, tss);
KTLB_PERCPU(struct tss, tss);

struct gate {
	uint16_t offset_0;
	uint16_t selector;
	uint8_t ist;
	uint8_t type;
	uint16_t offset_1;
	uint32_t offset_2;
	uint32_t reserved;
};

#define GATE_KERNEL 0x8e
#define GATE_USER   0xee /* user mode may call it by INT */

static struct gate idt[VECTORS];

struct table_pointer {
	uint16_t limit;
	const void *base;
} __attribute__((packed));

static void make_gate(uint32_t vector)
{
	uint64_t stub = ADDRESS(trap_stubs) + vector * TRAP_STUB_SIZE;
	int own_stack = vector == VECTOR_NMI || vector == VECTOR_DOUBLE_FAULT ||
	                vector == VECTOR_MACHINE_CHECK;

	idt[vector] = (struct gate){
		.offset_0 = (uint16_t)stub,
		.offset_1 = (uint16_t)(stub >> 16),
		.offset_2 = (uint32_t)(stub >> 32),
		.selector = SELECTOR_KERNEL_CODE,
		.ist = own_stack ? 1 : 0,
		.type = vector == VECTOR_SYSCALL ? GATE_USER : GATE_KERNEL,
	};
}

void trap_start(void)
{
	struct table_pointer gdt_pointer = {sizeof(gdt) - 1, gdt};
	struct table_pointer idt_pointer = {sizeof(idt) - 1, idt};

	if (!idt[0].type)
		for (uint32_t vector = VECTORS; vector--;)
			make_gate(vector);
	__asm__ volatile("lgdt %0\n\tlidt %1" : : "m"(gdt_pointer), "m"(idt_pointer) : "memory");
}

void trap_start_cpu(uint32_t cpu)
{
	struct tss *own = ktlb_this_cpu(tss);
	uint64_t base = ADDRESS(own), limit = sizeof(*own) - 1;
	uint64_t *descriptor = &gdt[SELECTOR_TSS / 8 + 2 * cpu];

	if (!own->ist[0]) /* else it has been here before */
		own->ist[0] = ADDRESS(memory_alloc(PAGE_SIZE, PAGE_SIZE)) + PAGE_SIZE;
	own->io_map = sizeof(*own);
	descriptor[0] = limit | (base & 0xffffff) << 16 | (uint64_t)0x89 << 40 |
	                (base >> 24 & 0xff) << 56;
	descriptor[1] = base >> 32;
	__asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS + 16 * cpu) : "memory");
}

/* ---- new threads ------------------------------------------------------------------------------*/

/* A stack that arch_switch returns from to `entry`. */
static void first_switch(struct thread *thread, uint64_t top, const char *entry)
{
	uint64_t *saved = (uint64_t *)(uintptr_t)(top - SWITCH_SIZE);

	for (uint32_t i = 0; i < SWITCH_SIZE / sizeof(uint64_t); i++)
		saved[i] = 0;
	saved[SWITCH_PC / sizeof(uint64_t)] = ADDRESS(entry);
	thread->arch.sp = ADDRESS(saved);
}

void arch_thread_kernel(struct thread *thread)
{
	first_switch(thread, ADDRESS(thread), thread_kernel_entry);
}

void arch_thread_user(struct thread *thread, uint64_t pc, uint64_t sp, uint64_t arg0, uint64_t arg1)
{
	struct frame *frame = (struct frame *)thread - 1;

	*frame = (struct frame){
		.arg = {arg0, arg1},
		.pc = user_pc(pc),
		.cs = SELECTOR_USER_CODE,
		.flags = FLAGS_IF | FLAGS_FIXED,
		.sp = sp - sizeof(uint64_t), /* as after a call: a function begins so */
		.ss = SELECTOR_USER_DATA,
	};
	first_switch(thread, ADDRESS(frame), thread_user_entry);
}

/* ---- the kernel's half ------------------------------------------------------------------------*/

extern uint64_t arch_window_table[];
extern const uint64_t kernel_root[];

#define LAST_ENTRY ((1u << ARCH_TABLE_BITS) - 1)

uint64_t *arch_window_entry(uint64_t page)
{
	return &arch_window_table[page];
}

uint64_t arch_window_page(uint64_t page)
{
	return page | PTE_NX | PTE_GLOBAL | PTE_WRITE | PTE_MEMORY;
}

uint64_t arch_empty_root(void)
{
	return ADDRESS(kernel_root) - ARCH_LINEAR_OFFSET;
}

/* One entry holds all of the kernel, and never changes. */
void arch_new_root(uint64_t root)
{
	ktlb_store_relaxed((uint64_t *)page_pointer(root) + LAST_ENTRY, kernel_root[LAST_ENTRY]);
}

#if KTLB_CFG_SPLIT_IDS
/*
 * The last of the way to user mode: under the user's id, and the kernel's again at the next entry. Both
 * are of one table: this kernel splits ids and hides nothing.
 */
KTLB_PERCPU(uint64_t, entry_cr3);
void trap_to_user(void);

void trap_to_user(void)
{
	uint64_t cr3 = ktlb_exit_cr3(ktlb_this_cpu(entry_cr3));

	__asm__ volatile("movq %0, %%cr3" : : "r"(cr3) : "memory");
}
#endif
