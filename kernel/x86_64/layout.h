/* SPDX-License-Identifier: MIT */
/* The numbers that assembly, the linker script's author and C share. No C here. */
#ifndef LAYOUT_H
#define LAYOUT_H

/*
 * 48-bit addresses: four levels of 4 KiB tables. The upper half is the kernel's and the same in
 * every space; only its last 2 GiB are in use. They begin with a linear map of the RAM, in which
 * the kernel itself is linked (-mcmodel=kernel), and end with the interrupt controller's registers
 * and the window. RAM_END leaves out the last 16 MiB: the firmware keeps its tables there.
 */
#define LINEAR_OFFSET 0xffffffff80000000
#define APIC_MAPPED   0xffffffffffc00000
#define WINDOW        0xffffffffffe00000
#define RAM_START     0x0
#define RAM_END       0x1f000000
#define RAM_MAPPED    0x20000000
#define APIC_PHYSICAL 0xfee00000
#define TRAMPOLINE    0x8000 /* a page below 1 MiB, where a CPU starts in real mode */

/* A thread's block: stack, then descriptor; kernel.h checks that the descriptor fits. */
#define THREAD_BLOCK_SIZE  0x4000
#define THREAD_STACK_END   0x3f00
#define THREAD_ARCH_OFFSET 8

/* Page-table entries: Intel SDM volume 3, "4-Level Paging and 5-Level Paging". */
#define PTE_PRESENT 0x1
#define PTE_WRITE   0x2
#define PTE_USER    0x4
#define PTE_UC      0x18 /* PWT and PCD: uncacheable, with the PAT as it is at reset */
#define PTE_A       0x20
#define PTE_D       0x40
#define PTE_LARGE   0x80 /* in a level-2 entry: 2 MiB */
#define PTE_GLOBAL  0x100
#define PTE_DEMAND  0x200 /* ours: bits 11:9 are left to software */
#define PTE_NX      0x8000000000000000
#define PTE_ADDRESS 0x000ffffffffff000

/*
 * Accessed and dirty from the start: nobody here asks for them, and a walker that finds them set
 * never writes to a table ("Accessed and Dirty Flags").
 */
#define PTE_TABLE  (PTE_A | PTE_WRITE | PTE_PRESENT)
#define PTE_MEMORY (PTE_D | PTE_A | PTE_PRESENT)

/* CR0: paging, write protection for the kernel too, native FPU errors, a fixed bit, protection. */
#define CR0_KERNEL 0x80010031

#define CR4_PAE  0x20
#define CR4_PGE  0x80
#define CR4_SMEP 0x100000
#define CR4_SMAP 0x200000

#define MSR_APIC_BASE      0x1b
#define MSR_X2APIC         0x800 /* the first of the interrupt controller's registers */
#define MSR_EFER           0xc0000080
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102

#define EFER_LME 0x100
#define EFER_NXE 0x800

/* Segment selectors: places in gdt (trap.c). Each CPU's task state segment comes after these. */
#define SELECTOR_CODE32      0x08
#define SELECTOR_DATA32      0x10
#define SELECTOR_KERNEL_CODE 0x18
#define SELECTOR_USER_CODE   0x23
#define SELECTOR_USER_DATA   0x2b
#define SELECTOR_TSS         0x30

/* Interrupt vectors. Below 32 are the exceptions. The spurious one must end in 0xf on old CPUs. */
#define VECTOR_NMI           2
#define VECTOR_DOUBLE_FAULT  8
#define VECTOR_PAGE_FAULT    14
#define VECTOR_MACHINE_CHECK 18
#define VECTOR_TIMER         32
#define VECTOR_KICK          33
#define VECTOR_KTLB          34
#define VECTOR_SYSCALL       40
#define VECTOR_SPURIOUS      47
#define VECTORS              48

/* The distance between the stubs of two vectors in trap.S. */
#define TRAP_STUB_SIZE 16

/* A trap frame: 15 registers, vector and error code, then what the CPU has pushed. */
#define FRAME_VECTOR 120
#define FRAME_CS     144
#define FRAME_SIZE   176

/* What arch_switch leaves on the stack: six registers, then its return address. */
#define SWITCH_SIZE 56
#define SWITCH_PC   48

/* In a task state segment: where the stack pointer for entries from user mode is. */
#define TSS_RSP0 4

#endif /* LAYOUT_H */
