/* SPDX-License-Identifier: MIT */
/*
 * The marks of a measurement (bench.c), and functions of known length to test the counting with.
 *
 * All marks are the one store at bench_mark_store; what it stores to, bench_mark_slots + tag, is
 * what the mark means. Execution goes on at the address in x17, so that the way from the first mark
 * to the last is the same around a function as around nothing: BR, then MOV, ADR, B, STRB.
 */
	.text

	.global	bench_mark_store
bench_mark_store:
	strb	wzr, [x16]
	br	x17

/* void bench_call(uint64_t tag, bench_function function, const uint64_t argument[5]) */
	.global	bench_call
	.type	bench_call, %function
bench_call:
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x19, [sp, #16]
	adrp	x19, bench_mark_slots
	add	x19, x19, :lo12:bench_mark_slots
	add	x16, x19, x0
	adr	x30, 1f
	cmp	x1, #0
	csel	x17, x30, x1, eq
	mov	x5, x2
	ldp	x0, x1, [x5]
	ldp	x2, x3, [x5, #16]
	ldr	x4, [x5, #32]
	b	bench_mark_store
1:
	mov	x16, x19
	adr	x17, 2f
	b	bench_mark_store
2:
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	bench_call, . - bench_call

/* void bench_mark(uint64_t tag) */
	.global	bench_mark
	.type	bench_mark, %function
bench_mark:
	adrp	x16, bench_mark_slots
	add	x16, x16, :lo12:bench_mark_slots
	add	x16, x16, x0
	mov	x17, x30
	b	bench_mark_store
	.size	bench_mark, . - bench_mark

	.global	bench_seven_nops
	.type	bench_seven_nops, %function
bench_seven_nops:
	.rept	7
	nop
	.endr
	.global	bench_return
	.type	bench_return, %function
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
