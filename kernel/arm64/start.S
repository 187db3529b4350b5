/* SPDX-License-Identifier: MIT */
/*
 * From reset, or PSCI's CPU_ON, to C: at EL1, MMU off, interrupts masked, at the physical address.
 *
 * Everything is linked at its address in the linear map; adrp is relative to the program counter
 * and so gives physical addresses until the jump to the linked address, and virtual ones after it.
 * The page tables below are constants: nothing is written while the caches are off, so that no
 * cache maintenance is needed.
 */
#include <ktlb/config.h>
#include "layout.h"

	.section .text.start, "ax"

/* The boot CPU. */
	.global	_start
_start:
	ldr	x19, =kernel_start
	ldr	x20, =boot_block + THREAD_STACK_END
	b	enable_mmu

/* The others; x0 is what arch_start_cpu passed through PSCI: the first thread. */
	.global	start_cpu
start_cpu:
	ldr	x19, =kernel_start_cpu
	mov	x20, x0

/* x19: where to go on; x20: the thread to go on as. Both are linear-map addresses. */
enable_mmu:
	msr	daifset, #0xf
	adrp	x0, identity_l1
	msr	ttbr0_el1, x0
	adrp	x0, kernel_l1
	msr	ttbr1_el1, x0
	ldr	x0, =MAIR
	msr	mair_el1, x0

	/*
	 * TCR: physical addresses as wide as the CPU has (PARange), 48 bits at most without LPA2;
	 * 16 ASID bits where there are; the ASID in the register that ktlb was compiled for.
	 */
	ldr	x0, =TCR_BASE
	mrs	x1, id_aa64mmfr0_el1
	and	x2, x1, #0xf
	mov	x3, #5
	cmp	x2, x3
	csel	x2, x2, x3, lo
	orr	x0, x0, x2, lsl #TCR_IPS
	ubfx	x2, x1, #4, #4			/* ASIDBits: 0 or 2 */
	lsr	x2, x2, #1
	orr	x0, x0, x2, lsl #TCR_AS
#if KTLB_CFG_ARM64_ASID_IN_TTBR1
	orr	x0, x0, #(1 << TCR_A1)
#endif
	msr	tcr_el1, x0

	/* TLB contents are unknown at reset; the ISB makes all of the above hold for what follows. */
	tlbi	vmalle1
	dsb	nsh
	isb
	ldr	x0, =SCTLR
	msr	sctlr_el1, x0
	isb					/* from here on instructions are translated */
	ldr	x0, =high
	br	x0

high:
	/*
	 * The identity map goes: the root first, then what the TLB holds of it. The register takes
	 * a physical address.
	 */
	ldr	x0, =arch_empty_table
	ldr	x1, =LINEAR_OFFSET
	sub	x0, x0, x1
	msr	ttbr0_el1, x0
	isb
	tlbi	vmalle1
	dsb	nsh
	isb

	adrp	x0, vectors
	add	x0, x0, :lo12:vectors
	msr	vbar_el1, x0
	isb
	msr	spsel, #1
	mov	sp, x20				/* the stack ends where the thread begins */
	msr	sp_el0, x20
	msr	tpidr_el1, xzr			/* the originals, until ktlb_cpu_online */
	mov	x29, xzr
	mov	x30, xzr
	br	x19
	.ltorg

/*
 * The page tables. 1 GiB of devices; 1 GiB that begins with the RAM, in blocks of 2 MiB of which
 * the second holds the kernel's text and constants (kernel.ld) and only that one is executable;
 * and the window, in pages, at the very top.
 */
#define PHYSICAL(symbol)	(symbol - LINEAR_OFFSET)
#define TABLE(symbol)		PHYSICAL(symbol) + (DESC_TABLE | DESC_VALID)

	.section .data.tables, "aw"
	.balign	4096
kernel_l1:
	.quad	DESC_PXN | DESC_UXN | DESC_AF | DESC_DEVICE | DESC_VALID
	.quad	TABLE(kernel_l2)
	.fill	509, 8, 0
	.quad	TABLE(window_l2)

	.balign	4096
kernel_l2:
	.quad	RAM_START | DESC_PXN | DESC_UXN | DESC_MEMORY | DESC_VALID
	.quad	RAM_START + 0x200000 | DESC_UXN | DESC_RO | DESC_MEMORY | DESC_VALID
	.set	block, RAM_START + 0x400000
	.rept	(RAM_END - RAM_START) / 0x200000 - 2
	.quad	block | DESC_PXN | DESC_UXN | DESC_MEMORY | DESC_VALID
	.set	block, block + 0x200000
	.endr
	.balign	4096

window_l2:
	.fill	511, 8, 0
	.quad	TABLE(arch_window_table)

	.global	arch_window_table
arch_window_table:
	.fill	512, 8, 0

/* For the few instructions around MMU on: virtual = physical, under ASID 0, not global. */
identity_l1:
	.quad	0
	.quad	RAM_START | DESC_UXN | DESC_NG | DESC_MEMORY | DESC_VALID
	.fill	510, 8, 0

/* What TTBR0 holds while no user space is loaded: leads nowhere, is never written. */
	.global	arch_empty_table
arch_empty_table:
	.fill	512, 8, 0

/* The user programs, where a page begins, so that they can be mapped as they are. */
	.section .rodata.user, "a"
	.balign	4096
	.global	arch_user_image, arch_user_image_end
arch_user_image:
	.incbin	USER_IMAGE
	.balign	4096
arch_user_image_end:
