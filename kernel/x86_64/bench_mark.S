/* SPDX-License-Identifier: MIT */
/*
 * The marks of a measurement (bench.c), and functions of known length to test the counting with.
 *
 * All marks are the one store at bench_mark_store; what it stores to, bench_mark_slots + tag, is
 * what the mark means. Execution goes on at the address in r10, so that the way from the first mark
 * to the last is the same around a function as around nothing: JMP, then MOV, LEA, JMP, MOVB. The
 * return address is on the stack in both cases; nothing pops it, and the stack pointer is restored.
 */
	.text

	.global	bench_mark_store
bench_mark_store:
	movb	$0, (%r11)
	jmp	*%r10

/* void bench_call(uint64_t tag, bench_function function, const uint64_t argument[5]) */
	.global	bench_call
	.type	bench_call, @function
bench_call:
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	lea	1f(%rip), %rax
	mov	$bench_mark_slots, %rbx
	lea	(%rbx, %rdi), %r11
	mov	%rsi, %r10
	test	%rsi, %rsi
	cmovz	%rax, %r10
	sub	$8, %rsp			/* at a function's entry: 8 bytes off 16 */
	push	%rax
	mov	%rdx, %rax
	mov	(%rax), %rdi
	mov	8(%rax), %rsi
	mov	16(%rax), %rdx
	mov	24(%rax), %rcx
	mov	32(%rax), %r8
	jmp	bench_mark_store
1:
	mov	%rbx, %r11
	lea	2f(%rip), %r10
	jmp	bench_mark_store
2:
	mov	-8(%rbp), %rbx
	leave
	ret
	.size	bench_call, . - bench_call

/* void bench_mark(uint64_t tag) */
	.global	bench_mark
	.type	bench_mark, @function
bench_mark:
	lea	bench_mark_slots(%rdi), %r11
	pop	%r10
	jmp	bench_mark_store
	.size	bench_mark, . - bench_mark

	.global	bench_seven_nops
	.type	bench_seven_nops, @function
bench_seven_nops:
	.rept	7
	nop
	.endr
	.global	bench_return
	.type	bench_return, @function
bench_return:
	ret
	.size	bench_seven_nops, . - bench_seven_nops
	.size	bench_return, . - bench_return

	.bss
	.balign	64
	.global	bench_mark_slots
bench_mark_slots:
	.skip	1024
	.size	bench_mark_slots, . - bench_mark_slots

	.section .note.GNU-stack, "", %progbits
