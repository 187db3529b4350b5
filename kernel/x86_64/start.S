/* SPDX-License-Identifier: MIT */
/*
 * From the boot loader, or from the interrupt that starts a CPU, to C: in 64-bit mode, interrupts
 * masked, under the kernel's page table.
 *
 * The boot CPU comes as the PVH boot protocol says (Xen, "x86/HVM direct boot ABI"): in 32-bit
 * protected mode, flat segments, paging off, EBX the address of the start info. The others come in
 * real mode, at the trampoline, and join it there. Nothing of the kernel is below 1 MiB, so the
 * trampoline is copied, and does no more than enter protected mode.
 *
 * Everything is linked at its address in the linear map; PHYSICAL(x) is where it is meanwhile.
 */
#include "layout.h"

#define PHYSICAL(symbol) (symbol - LINEAR_OFFSET)

/* The entry point, for whoever loads the file: XEN_ELFNOTE_PHYS32_ENTRY. */
	.section .note.pvh, "a", @note
	.balign	4
	.long	4, 8, 18
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
	ljmpl	$SELECTOR_CODE32, $PHYSICAL(start_cpu)
	.balign	4
gdt_pointer:
	.word	SELECTOR_TSS - 1
	.long	PHYSICAL(gdt)
trampoline_end:

	.code32
start_cpu:
	mov	$SELECTOR_DATA32, %eax
	mov	%eax, %ds
	mov	%eax, %ss
	xor	%ebx, %ebx
	jmp	enter_long_mode

	.global	_start
_start:
	cli
	cld

/*
 * EBX: the start info, or 0 on all CPUs but the first. The order is the manual's (Intel SDM volume
 * 3, "Initializing IA-32e Mode"): PAE, the root, LME, paging. The first map shows the RAM twice, at
 * its physical addresses, where this runs, and where the kernel is linked, to go on there.
 */
enter_long_mode:
	mov	$CR4_PAE, %eax
	mov	%eax, %cr4
	mov	$PHYSICAL(identity_root), %eax
	mov	%eax, %cr3
	mov	$MSR_EFER, %ecx
	rdmsr
	or	$(EFER_LME | EFER_NXE), %eax
	wrmsr
	mov	$CR0_KERNEL, %eax
	mov	%eax, %cr0
	lgdt	PHYSICAL(gdt_pointer)
	ljmp	$SELECTOR_KERNEL_CODE, $PHYSICAL(long_mode)

	.code64
long_mode:
	mov	$high, %rax
	jmp	*%rax

high:
	/*
	 * The identity map goes. Its entries are marked global, too, but were not cached as such
	 * while CR4.PGE was 0; and setting that empties the TLB ("Operations that Invalidate
	 * TLBs and Paging-Structure Caches").
	 */
	mov	$PHYSICAL(kernel_root), %eax
	mov	%rax, %cr3
	mov	$(CR4_PAE | CR4_PGE), %eax
	mov	%rax, %cr4

	/* GS bases: the originals of per-CPU variables until ktlb_cpu_online; the user's is 0. */
	xor	%eax, %eax
	xor	%edx, %edx
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%eax, %fs
	mov	%eax, %gs
	mov	$MSR_GS_BASE, %ecx
	wrmsr
	mov	$MSR_KERNEL_GS_BASE, %ecx
	wrmsr

	/* The stack ends where the thread begins; GS base is 0, so this is the original. */
	mov	%gs:current_thread, %rsp
	xor	%ebp, %ebp
	mov	%ebx, %edi
	call	machine_start
	ud2

/*
 * The page tables, constants: the RAM, in blocks of 2 MiB of which the second holds the kernel's
 * text and constants (kernel.ld) and only that one is executable; the interrupt controller's
 * registers; and the window, in pages, at the very top. All global.
 */
#define BLOCK (PTE_NX | PTE_GLOBAL | PTE_LARGE | PTE_WRITE | PTE_MEMORY)

	.section .data.tables, "aw"
	.balign	4096
	.global	kernel_root
kernel_root:
	.fill	511, 8, 0
	.quad	PHYSICAL(kernel_l3) + PTE_TABLE

	.balign	4096
kernel_l3:
	.fill	510, 8, 0
	.quad	PHYSICAL(ram_l2) + PTE_TABLE
	.quad	PHYSICAL(top_l2) + PTE_TABLE

	.balign	4096
ram_l2:
	.quad	BLOCK
	.quad	0x200000 | PTE_GLOBAL | PTE_LARGE | PTE_MEMORY
	.set	block, 0x400000
	.rept	RAM_MAPPED / 0x200000 - 2
	.quad	block | BLOCK
	.set	block, block + 0x200000
	.endr
	.balign	4096

top_l2:
	.fill	510, 8, 0
	.quad	APIC_PHYSICAL | PTE_UC | BLOCK
	.quad	PHYSICAL(arch_window_table) + PTE_TABLE

	.global	arch_window_table
arch_window_table:
	.fill	512, 8, 0

/* For the few instructions around paging on: virtual = physical. */
identity_root:
	.quad	PHYSICAL(identity_l3) + PTE_TABLE
	.fill	510, 8, 0
	.quad	PHYSICAL(kernel_l3) + PTE_TABLE

	.balign	4096
identity_l3:
	.quad	PHYSICAL(ram_l2) + PTE_TABLE
	.fill	511, 8, 0

/* The user programs, where a page begins, so that they can be mapped as they are. */
	.section .rodata.user, "a"
	.balign	4096
	.global	arch_user_image, arch_user_image_end
arch_user_image:
	.incbin	USER_IMAGE
	.balign	4096
arch_user_image_end:

	.section .note.GNU-stack, "", %progbits
