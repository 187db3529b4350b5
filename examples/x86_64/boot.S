/* SPDX-License-Identifier: 0BSD */
/*
 * From the loader to C. The boot CPU comes by the PVH protocol: 32-bit protected mode, paging off.
 * CPU 1 comes in real mode, at a copy of `trampoline`. Both end in 64-bit mode, under the kernel's
 * page table, interrupts off.
 */
#include <arch.h>

#define PHYSICAL(symbol) (symbol - LINEAR)

	.section .note.pvh, "a", @note
	.balign	4
	.long	4, 8, 18		/* XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz	"Xen"
	.quad	PHYSICAL(_start)

	.section .text.start, "ax"
	.code16
	.global	trampoline, trampoline_end
trampoline:
	cli
	mov	%cs, %ax
	mov	%ax, %ds
	lgdtl	gdt_pointer - trampoline
	mov	%cr0, %eax
	or	$1, %eax
	mov	%eax, %cr0
	ljmpl	$0x08, $PHYSICAL(start_cpu)
	.balign	4
gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	PHYSICAL(gdt)
trampoline_end:

	.code32
start_cpu:
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %ss
	mov	$1, %ebx
	jmp	long_mode

	.global	_start
_start:
	cli
	cld
	xor	%ebx, %ebx

/* EBX: the number of this CPU. PAE, the root, LME, paging: the order is the manual's. */
long_mode:
	mov	$0x20, %eax
	mov	%eax, %cr4
	mov	$PHYSICAL(boot_root), %eax
	mov	%eax, %cr3
	mov	$0xc0000080, %ecx	/* EFER.LME */
	rdmsr
	or	$0x100, %eax
	wrmsr
	mov	$0x80010011, %eax	/* CR0: paging, write protection, protected mode */
	mov	%eax, %cr0
	lgdt	PHYSICAL(gdt_pointer)
	ljmp	$0x18, $PHYSICAL(in_long_mode)

	.code64
in_long_mode:
	mov	$high, %rax
	jmp	*%rax
high:
	mov	$PHYSICAL(kernel_root), %eax
	mov	%rax, %cr3		/* the identity map goes */
	lgdt	high_gdt_pointer
	mov	$0x20, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs		/* GS base 0 until ktlb_cpu_online */
	mov	$0xc0000101, %ecx
	xor	%edx, %edx
	wrmsr
	mov	$stack_0, %rsp
	mov	$stack_1, %rax
	test	%ebx, %ebx
	cmovnz	%rax, %rsp
	mov	%ebx, %edi
	call	machine_main
	ud2

/* ktlb's interrupt: what C may change is saved; the stack is aligned as C wants it. */
	.global	vector_ktlb, vector_fault
vector_ktlb:
	push	%rbp
	mov	%rsp, %rbp
	.irp	r, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	push	%\r
	.endr
	and	$-16, %rsp
	cld
	call	machine_interrupt
	lea	-72(%rbp), %rsp
	.irp	r, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop	%\r
	.endr
	pop	%rbp
	iretq

/* Any exception. */
vector_fault:
	and	$-16, %rsp
	call	machine_fault
	ud2

	.section .data.tables, "aw"
	.balign	16
gdt:
	.quad	0
	.quad	0x00cf9a000000ffff	/* 0x08: 32-bit code */
	.quad	0x00cf92000000ffff	/* 0x10: 32-bit data */
	.quad	0x00af9a000000ffff	/* 0x18: 64-bit code */
	.quad	0x00cf92000000ffff	/* 0x20: data */
gdt_end:
high_gdt_pointer:
	.word	gdt_end - gdt - 1
	.quad	gdt

/* Until paging is on: memory twice, at its physical addresses and where the kernel is linked. */
	.balign	4096
boot_root:
	.quad	PHYSICAL(boot_l3) + 3
	.fill	510, 8, 0
	.quad	PHYSICAL(kernel_l3) + 3
boot_l3:
	.quad	PHYSICAL(ram_l2) + 3
	.fill	511, 8, 0

/* The kernel's own: the user's half is empty. */
	.global	kernel_root
kernel_root:
	.fill	511, 8, 0
	.quad	PHYSICAL(kernel_l3) + 3
kernel_l3:
	.fill	510, 8, 0
	.quad	PHYSICAL(ram_l2) + 3
	.quad	PHYSICAL(apic_l2) + 3
ram_l2:
	.set	block, 0
	.rept	512
	.quad	block | ENTRY_BLOCK
	.set	block, block + 0x200000
	.endr
apic_l2:
	.fill	503, 8, 0
	.quad	APIC | ENTRY_APIC
	.fill	8, 8, 0

	.section .bss.stacks, "aw", @nobits
	.balign	16
	.skip	8192
stack_0:
	.skip	8192
stack_1:
	.section .note.GNU-stack, "", @progbits
