/* SPDX-License-Identifier: MIT */
/* Where a process begins, and accesses that may fault; user_arch.h. */
	.section .text.start, "ax"
	.global	_start
_start:
	xor	%ebp, %ebp
	jmp	user_main

	.text
	.global	try_begin, try_load, try_store, try_end, try_failed
try_begin:
try_load:
	mov	(%rdi), %rax
	mov	%rax, (%rsi)
	mov	$1, %eax
	ret
try_store:
	mov	%rsi, (%rdi)
	mov	$1, %eax
	ret
try_end:
try_failed:
	xor	%eax, %eax
	ret

	.section .note.GNU-stack, "", %progbits
