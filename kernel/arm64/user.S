/* SPDX-License-Identifier: MIT */
/* Where a process begins, and accesses that may fault; user_arch.h. */
	.section .text.start, "ax"
	.global	_start
_start:
	mov	x29, xzr
	mov	x30, xzr
	b	user_main

	.text
	.global	try_begin, try_load, try_store, try_end, try_failed
try_begin:
try_load:
	ldr	x2, [x0]
	str	x2, [x1]
	mov	w0, #1
	ret
try_store:
	str	x1, [x0]
	mov	w0, #1
	ret
try_end:
try_failed:
	mov	w0, #0
	ret
