/* SPDX-License-Identifier: MIT */
/*
 * Exceptions and interrupts, and the switch between threads.
 *
 * In the kernel the GS base is the distance to this CPU's copies of per-CPU variables; in user mode
 * it is the user's, and the kernel's waits in IA32_KERNEL_GS_BASE. An entry whose saved code
 * segment is the user's, and only that, exchanges them, before anything can ask who we are; so does
 * the way back. In between there are no interrupts. What no masking stops (NMI, machine check, and
 * a double fault) may come between an entry and its SWAPGS; it has a stack of its own, asks for
 * nothing that is per CPU, and does not return.
 *
 * In user mode the stack pointer for entries (the task state segment's) is the empty end of the
 * running thread's kernel stack, which is the address of its descriptor.
 */
#include <ktlb/config.h>

#include "layout.h"

	.text

.macro push_registers
	push	%r15
	push	%r14
	push	%r13
	push	%r12
	push	%r11
	push	%r10
	push	%rbp
	push	%rbx
	push	%rax
	push	%r9
	push	%r8
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	cld
	mov	%rsp, %rdi
.endm

/* On top of the stack: vector, error code, pc, code segment. */
.macro swap_gs_of_user
	testb	$3, FRAME_CS - FRAME_VECTOR(%rsp)
	jz	1f
	swapgs
1:
.endm

/*
 * A stub for each vector, TRAP_STUB_SIZE apart. Where the CPU pushes no error code the stub does:
 * all but 8, 10 to 14, 17, 21, 29 and 30 (Intel SDM volume 3, "Exception and Interrupt Reference").
 */
	.balign	TRAP_STUB_SIZE
	.global	trap_stubs
trap_stubs:
	.set	vector, 0
	.rept	VECTORS
	.balign	TRAP_STUB_SIZE
	.if	!(vector < 32 && 0x60227d00 >> vector & 1)
	push	$0
	.endif
	push	$vector
	.if	vector == VECTOR_NMI || vector == VECTOR_DOUBLE_FAULT || \
		vector == VECTOR_MACHINE_CHECK
	jmp	entry_bad
	.else
	jmp	entry
	.endif
	.set	vector, vector + 1
	.endr

entry:
	swap_gs_of_user
	push_registers
#if KTLB_CFG_SPLIT_IDS
	testb	$3, FRAME_CS(%rsp)
	jz	2f
	mov	%gs:entry_cr3, %rax
	mov	%rax, %cr3
2:
#endif
	call	trap

/* The stack pointer is at a frame; interrupts off. */
trap_return:
#if KTLB_CFG_SPLIT_IDS
	testb	$3, FRAME_CS(%rsp)
	jz	3f
	call	trap_to_user
3:
#endif
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%r8
	pop	%r9
	pop	%rax
	pop	%rbx
	pop	%rbp
	pop	%r10
	pop	%r11
	pop	%r12
	pop	%r13
	pop	%r14
	pop	%r15
	swap_gs_of_user
	add	$16, %rsp
	iretq

entry_bad:
	push_registers
	call	trap_bad
	ud2

/*
 * struct thread *arch_switch(struct thread *from, struct thread *to), interrupts off.
 *
 * Saves what the calling convention lets a function expect to survive a call, and goes on where
 * `to` left off; rdi is still `from`, which so becomes the result over there.
 */
	.global	arch_switch
arch_switch:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, THREAD_ARCH_OFFSET(%rdi)
	mov	THREAD_ARCH_OFFSET(%rsi), %rsp
	mov	%rsi, %gs:current_thread
	mov	%rsi, %gs:tss + TSS_RSP0
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	mov	%rdi, %rax
	ret

/* Where arch_switch returns to in a new thread; rax is the thread that ran before. */
	.global	thread_kernel_entry
thread_kernel_entry:
	mov	%rax, %rdi
	call	kernel_thread_main
	ud2

	.global	thread_user_entry
thread_user_entry:
	mov	%rax, %rdi
	call	kernel_thread_user
	jmp	trap_return

/*
 * int arch_probe(uint64_t va, uint64_t *value): trap sends a fault of the one load to
 * arch_probe_failed.
 */
	.global	arch_probe, arch_probe_load, arch_probe_failed
arch_probe:
arch_probe_load:
	mov	(%rdi), %rax
	mov	%rax, (%rsi)
	xor	%eax, %eax
	ret
arch_probe_failed:
	mov	$-1, %eax
	ret

	.section .note.GNU-stack, "", %progbits
