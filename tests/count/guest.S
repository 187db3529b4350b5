/* SPDX-License-Identifier: MIT */
/*
 * A guest of a known number of instructions, to prove what tools/count counts: no kernel, MMU off,
 * EL1, two CPUs. Each case is a block between two marks; test_count.py knows by hand what is in it.
 *
 * x20 = bench_mark_slots throughout. Nothing is at slots + tag but bytes to store to.
 */
	.arch	armv8.5-a

	.equ	SEMIHOSTING_EXIT, 0x18
	.equ	EXIT_APPLICATION, 0x20026
	.equ	PSCI_CPU_ON, 0xc4000003
	.equ	MACHINE, 512

	/* begin = a tag; end = 0, or MACHINE. Counted beside the block: RET, then MOV, ADD, BL, STRB */
	.macro	mark tag
	mov	x16, #\tag
	add	x16, x16, x20
	bl	bench_mark
	.endm

	/* a block of `count` times one instruction */
	.macro	times tag, count, insn:vararg
	mark	\tag
	.rept	\count
	\insn
	.endr
	mark	0
	.endm

	.text
	.global	_start
_start:
	adr	x20, bench_mark_slots
	adr	x19, scratch
	mov	x1, #0x300000
	msr	cpacr_el1, x1
	isb
	mov	x2, #0
	mov	x3, #0

	times	1, 0, nop
	times	2, 7, nop
	times	3, 3, ldr x1, [x19]
	times	4, 4, ldp x1, x4, [x19]
	times	5, 5, stp xzr, xzr, [x19, #16]!
	adr	x19, scratch
	times	6, 2, str q0, [x19]
	times	7, 2, ldrb w1, [x19, x2]
	times	8, 3, ldrsw x1, [x19, #4]
	times	9, 2, prfm pldl1keep, [x19]
	times	10, 3, ldr x1, scratch_literal
	times	11, 2, ldar x1, [x19]
	times	12, 2, stlr x2, [x19]
	times	13, 2, ldapr x1, [x19]
	times	14, 4, ldadd x2, x1, [x19]
	times	15, 3, swpal x2, x1, [x19]
	times	16, 2, casal x2, x1, [x19]
	times	17, 2, casp x2, x3, x2, x3, [x19]
	times	18, 6, msr ttbr0_el1, x2
	times	19, 2, msr ttbr1_el1, x2
	times	20, 2, tlbi vae1is, x2
	times	21, 3, tlbi vaale1is, x2
	times	22, 2, tlbi vale1, x2
	times	23, 3, tlbi rvae1is, x2
	times	24, 2, tlbi rvaale1, x2
	times	25, 2, tlbi aside1is, x2
	times	26, 2, tlbi vmalle1is
	times	27, 2, tlbi vmalle1
	times	28, 2, dsb ish
	times	29, 3, dsb ishst
	times	30, 2, dmb ish
	times	31, 2, isb
	times	32, 3, mrs x1, ttbr0_el1
	times	33, 2, ld1 {v0.16b}, [x19]
	times	34, 2, st1 {v0.16b}, [x19]
	times	35, 2, dc civac, x19

	/* three read-modify-writes by exclusive pairs: LDXR, ADD, STXR, CBNZ each */
	mark	36
	mov	w5, #3
1:	ldxr	x1, [x19]
	add	x1, x1, #1
	stlxr	w4, x1, [x19]
	cbnz	w4, 1b
	ldaxp	x1, x6, [x19]
	stxp	w4, x1, x6, [x19]
	subs	w5, w5, #1
	b.ne	1b
	mark	0

	/* a function called three times, counted by its address as well */
	times	37, 3, bl called

	/* CPU 1 sleeps now or will: only this CPU's instructions are in a measurement of all */
	mark	(MACHINE + 1)
	.rept	9
	nop
	.endr
	mark	MACHINE

	/* CPU 1 works: its 50 atomics are in the sum, this CPU executes none */
	mark	(MACHINE + 2)
	mov	x0, #(PSCI_CPU_ON & 0xffff)
	movk	x0, #(PSCI_CPU_ON >> 16), lsl #16
	mov	x1, #1
	adr	x2, second
	mov	x3, #0
	hvc	#0
1:	yield
	ldar	w1, [x19]
	cmp	w1, #77
	b.ne	1b
	mark	MACHINE

	/* begun and never ended: the plugin has to say so */
	mark	99

	mov	w0, #SEMIHOSTING_EXIT
	adr	x1, exit_block
	hlt	#0xf000

second:
	adr	x20, bench_mark_slots
	adr	x19, scratch
	add	x6, x19, #64
	mov	x2, #1
	times	38, 50, ldadd x2, x1, [x6]
	mov	w1, #77
	stlr	w1, [x19]
1:	wfi
	b	1b

called:
	ret

bench_mark:
	.global	bench_mark_store
bench_mark_store:
	strb	wzr, [x16]
	ret

	.balign	8
scratch_literal:
	.quad	0
exit_block:
	.quad	EXIT_APPLICATION, 0

	.bss
	.balign	128
scratch:
	.skip	256
	.global	bench_mark_slots
bench_mark_slots:
	.skip	1024
