/* SPDX-License-Identifier: MIT */
/* The numbers that assembly, the linker script's author and C share. No C here. */
#ifndef LAYOUT_H
#define LAYOUT_H

/*
 * 39-bit addresses in both halves: three levels of 4 KiB tables. The kernel's half begins with a
 * linear map of the first 2 GiB of physical addresses and ends with the window.
 */
#define LINEAR_OFFSET 0xffffff8000000000
#define WINDOW        0xffffffffffe00000
#define RAM_START     0x40000000
#define RAM_END       0x60000000

/* A thread's block: stack, then descriptor; kernel.h checks that the descriptor fits. */
#define THREAD_BLOCK_SIZE  0x4000
#define THREAD_STACK_END   0x3f00
#define THREAD_ARCH_OFFSET 8

/*
 * Descriptor bits, Arm ARM DDI 0487, "VMSAv8-64 translation table format descriptors", stage 1.
 * The attribute index selects a byte of MAIR below.
 */
#define DESC_VALID   (1 << 0)
#define DESC_TABLE   (1 << 1) /* at level 3: a page; 0 at level 1 and 2: a block */
#define DESC_DEVICE  (0 << 2)
#define DESC_NORMAL  (1 << 2)
#define DESC_EL0     (1 << 6)
#define DESC_RO      (1 << 7)
#define DESC_INNER   (3 << 8)
#define DESC_AF      (1 << 10)
#define DESC_NG      (1 << 11)
#define DESC_PXN     0x0020000000000000
#define DESC_UXN     0x0040000000000000
#define DESC_DEMAND  0x0080000000000000 /* ours: bits 58:55 are left to software */
#define DESC_ADDRESS 0x0000fffffffff000

#define DESC_MEMORY (DESC_NORMAL | DESC_INNER | DESC_AF)

/* Device-nGnRnE, and write-back cacheable memory. */
#define MAIR 0xff00

/*
 * TCR_EL1 without what start.S reads from the CPU: 39 bits (T0SZ, T1SZ = 25), walks through
 * inner-shareable write-back memory, 4 KiB granules (TG0 = 0, TG1 = 2). Hardware never sets AF.
 */
#define TCR_T0   (25 | 1 << 8 | 1 << 10 | 3 << 12 | 0 << 14)
#define TCR_T1   (25 | 1 << 8 | 1 << 10 | 3 << 12 | 2 << 14)
#define TCR_BASE (TCR_T0 | TCR_T1 << 16)
#define TCR_A1   22 /* bit numbers */
#define TCR_IPS  32
#define TCR_AS   36

/*
 * SCTLR_EL1: the bits that read as 1 in Armv8.0 (29, 28, 23, 22, 20, 11), but SPAN (23) 0: where
 * FEAT_PAN exists it is on in every exception, since this kernel never touches a user's address.
 * And: instruction cache (12), aligned stack pointers (4, 3), data cache (2), MMU (0).
 */
#define SCTLR 0x3050181d

/* A trap frame: x0..x30, SP_EL0, ELR, SPSR. */
#define FRAME_LR   240
#define FRAME_ELR  256
#define FRAME_SIZE 272

/* What arch_switch leaves on the stack: x19..x30. */
#define SWITCH_SIZE 96
#define SWITCH_X30  88

#endif /* LAYOUT_H */
