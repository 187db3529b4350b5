/* SPDX-License-Identifier: 0BSD */
/*
 * From QEMU's "virt" machine to C, at EL1: the boot CPU from reset, CPU 1 from PSCI. The MMU is off
 * and addresses are physical until the jump to `high`.
 *
 * The page tables are constants, so nothing is written while the caches are off.
 */
#include <arch.h>

	.section .text.start, "ax"
	.global	_start, start_cpu
_start:
	mov	x19, #0
	b	enable_mmu
start_cpu:
	mov	x19, #1

/* X19: the number of this CPU. */
enable_mmu:
	msr	daifset, #0xf
	adrp	x0, identity_l1
	msr	ttbr0_el1, x0
	adrp	x0, kernel_l1
	msr	ttbr1_el1, x0
	ldr	x0, =0x00ff		/* index 0: memory, write back; 1: device */
	msr	mair_el1, x0
	/*
	 * T0SZ, T1SZ 25; write back, inner shareable; granules of 4 KiB; 40-bit physical addresses; as
	 * many ASID bits as the CPU has.
	 */
	ldr	x0, =0x00000002b5193519
	mrs	x1, id_aa64mmfr0_el1
	ubfx	x1, x1, #5, #1		/* ASIDBits: 0 or 2 */
	orr	x0, x0, x1, lsl #36
	msr	tcr_el1, x0
	tlbi	vmalle1
	dsb	nsh
	isb
	ldr	x0, =0x30d01805		/* what is reserved as 1; caches and MMU on */
	msr	sctlr_el1, x0
	isb
	ldr	x0, =high
	br	x0
	.ltorg

high:
	adrp	x0, empty_table
	ldr	x1, =LINEAR
	sub	x0, x0, x1
	msr	ttbr0_el1, x0		/* the identity map goes, then what the TLB has of it */
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	adrp	x0, vectors
	msr	vbar_el1, x0
	msr	tpidr_el1, xzr		/* until ktlb_cpu_online */
	isb
	msr	spsel, #1
	ldr	x0, =stack_0
	add	x0, x0, x19, lsl #13
	mov	sp, x0
	mov	x0, x19
	bl	machine_main
	b	.
	.ltorg

/* No interrupt is ever sent: other CPUs' TLBs are reached by broadcast. What comes is a fault. */
	.balign	4096
vectors:
	.rept	16
	.balign	128
	bl	machine_fault
	.endr

	.section .data.tables, "aw"
	.balign	4096
kernel_l1:
	.quad	ENTRY_DEVICE
	.quad	RAM | ENTRY_BLOCK
	.fill	510, 8, 0
identity_l1:
	.quad	0
	.quad	RAM | ENTRY_BLOCK | 0x800	/* not global */
	.fill	510, 8, 0
	.global	empty_table
empty_table:
	.fill	512, 8, 0		/* for ever zeroes */

	.section .bss.stacks, "aw", %nobits
	.balign	16
	.skip	8192
stack_0:
	.skip	8192
	.section .note.GNU-stack, "", %progbits
