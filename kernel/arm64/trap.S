/* SPDX-License-Identifier: MIT */
/*
 * Exceptions, and the switch between threads.
 *
 * In the kernel SP is SP_EL1, the running thread's kernel stack, and SP_EL0 is the address of that
 * thread's descriptor, by which ktlb finds the CPU number. In user mode SP_EL0 is the user's, and
 * SP_EL1 waits at the empty end of the kernel stack, which is the descriptor's address: entry from
 * user mode restores SP_EL0 from there, before anything can ask for it.
 */
#include <ktlb/config.h>

#include "layout.h"

#if KTLB_CFG_SPLIT_IDS
/* User mode runs under the odd ASID of the pair. A table without the kernel would go with it. */
.macro set_asid_of mode
	mrs	x1, ttbr1_el1
	.ifc	\mode, user
	orr	x1, x1, #1 << 48
	.else
	bic	x1, x1, #1 << 48
	.endif
	msr	ttbr1_el1, x1
.endm
#else
.macro set_asid_of mode
.endm
#endif

	.text

.macro save_frame from_user
	sub	sp, sp, #FRAME_SIZE
	stp	x0, x1, [sp, #16 * 0]
	stp	x2, x3, [sp, #16 * 1]
	stp	x4, x5, [sp, #16 * 2]
	stp	x6, x7, [sp, #16 * 3]
	stp	x8, x9, [sp, #16 * 4]
	stp	x10, x11, [sp, #16 * 5]
	stp	x12, x13, [sp, #16 * 6]
	stp	x14, x15, [sp, #16 * 7]
	stp	x16, x17, [sp, #16 * 8]
	stp	x18, x19, [sp, #16 * 9]
	stp	x20, x21, [sp, #16 * 10]
	stp	x22, x23, [sp, #16 * 11]
	stp	x24, x25, [sp, #16 * 12]
	stp	x26, x27, [sp, #16 * 13]
	stp	x28, x29, [sp, #16 * 14]
	mrs	x0, sp_el0
	mrs	x1, elr_el1
	mrs	x2, spsr_el1
	stp	x30, x0, [sp, #FRAME_LR]
	stp	x1, x2, [sp, #FRAME_ELR]
	.if	\from_user
	set_asid_of kernel
	add	x0, sp, #FRAME_SIZE
	msr	sp_el0, x0
	mov	x29, xzr			/* a backtrace ends here */
	.endif
	mov	x0, sp
.endm

.macro restore_frame to_user
	ldp	x1, x2, [sp, #FRAME_ELR]
	ldp	x30, x0, [sp, #FRAME_LR]
	msr	elr_el1, x1
	msr	spsr_el1, x2
	.if	\to_user
	set_asid_of user
	msr	sp_el0, x0
	.endif
	ldp	x0, x1, [sp, #16 * 0]
	ldp	x2, x3, [sp, #16 * 1]
	ldp	x4, x5, [sp, #16 * 2]
	ldp	x6, x7, [sp, #16 * 3]
	ldp	x8, x9, [sp, #16 * 4]
	ldp	x10, x11, [sp, #16 * 5]
	ldp	x12, x13, [sp, #16 * 6]
	ldp	x14, x15, [sp, #16 * 7]
	ldp	x16, x17, [sp, #16 * 8]
	ldp	x18, x19, [sp, #16 * 9]
	ldp	x20, x21, [sp, #16 * 10]
	ldp	x22, x23, [sp, #16 * 11]
	ldp	x24, x25, [sp, #16 * 12]
	ldp	x26, x27, [sp, #16 * 13]
	ldp	x28, x29, [sp, #16 * 14]
	add	sp, sp, #FRAME_SIZE
	eret
.endm

.macro vector target
	.balign	0x80
	b	\target
.endm

/* Arm ARM DDI 0487, "Exception vectors": 16 entries of 0x80 bytes. */
	.balign	0x800
	.global	vectors
vectors:
	vector	entry_bad		/* from EL1 with SP_EL0: never in use */
	vector	entry_bad
	vector	entry_bad
	vector	entry_bad
	vector	entry_kernel_sync	/* from EL1 */
	vector	entry_kernel_irq
	vector	entry_bad
	vector	entry_bad
	vector	entry_user_sync		/* from EL0, 64 bits */
	vector	entry_user_irq
	vector	entry_bad
	vector	entry_bad
	vector	entry_bad		/* from EL0, 32 bits: never in use */
	vector	entry_bad
	vector	entry_bad
	vector	entry_bad

entry_kernel_sync:
	save_frame 0
	bl	trap_kernel_sync
	restore_frame 0

entry_kernel_irq:
	save_frame 0
	bl	trap_kernel_irq
	restore_frame 0

entry_user_sync:
	save_frame 1
	bl	trap_user_sync
	restore_frame 1

entry_user_irq:
	save_frame 1
	bl	trap_user_irq
	restore_frame 1

entry_bad:
	save_frame 0
	bl	trap_bad
	b	.

/*
 * struct thread *arch_switch(struct thread *from, struct thread *to), interrupts off.
 *
 * Saves what the procedure call standard lets a function expect to survive a call, and goes on
 * where `to` left off; x0 is still `from`, which so becomes the result over there. After SP_EL0 is
 * written ktlb_cpu_id() reads `to`'s field; MSR SP_EL0 needs no ISB, being ordered like any general
 * register for this CPU's own later reads of it.
 */
	.global	arch_switch
arch_switch:
	stp	x19, x20, [sp, #-SWITCH_SIZE]!
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	mov	x2, sp
	str	x2, [x0, #THREAD_ARCH_OFFSET]
	ldr	x2, [x1, #THREAD_ARCH_OFFSET]
	msr	sp_el0, x1
	mov	sp, x2
	ldp	x29, x30, [sp, #80]
	ldp	x27, x28, [sp, #64]
	ldp	x25, x26, [sp, #48]
	ldp	x23, x24, [sp, #32]
	ldp	x21, x22, [sp, #16]
	ldp	x19, x20, [sp], #SWITCH_SIZE
	ret

/* Where arch_switch returns to in a new thread; x0 is the thread that ran before. */
	.global	thread_kernel_entry
thread_kernel_entry:
	bl	kernel_thread_main
	b	.

	.global	thread_user_entry
thread_user_entry:
	bl	kernel_thread_user
	restore_frame 1

/*
 * int arch_probe(uint64_t va, uint64_t *value): trap_kernel_sync sends a fault of the one load to
 * arch_probe_failed.
 */
	.global	arch_probe, arch_probe_load, arch_probe_failed
arch_probe:
arch_probe_load:
	ldr	x2, [x0]
	str	x2, [x1]
	mov	w0, #0
	ret
arch_probe_failed:
	mov	w0, #-1
	ret
