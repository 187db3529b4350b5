/* SPDX-License-Identifier: 0BSD */
/* The numbers of x86-64's page tables, for boot.S too: no C here. */
#ifndef ARCH_H
#define ARCH_H

/* The kernel's half: the first GiB of memory, at the top but one; the local APIC in the last. */
#define LINEAR           0xffffffff80000000
#define ROOT_KERNEL_SLOT 511

#define LEVELS      4
#define ENTRY_TABLE 0x07 /* present, writable, user */
#define ENTRY_PAGE  0x07
#define ENTRY_BLOCK 0x83 /* present, writable, 2 MiB */
#define ENTRY_APIC  0x9b /* and uncached */

#define APIC       0xfee00000
#define TRAMPOLINE 0x8000 /* where CPU 1 begins, in real mode */
#define VECTOR     0x40   /* ktlb's interrupt */

#endif /* ARCH_H */
