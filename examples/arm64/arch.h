/* SPDX-License-Identifier: 0BSD */
/* The numbers of arm64's page tables, 4 KiB granule, 39-bit halves, for boot.S too: no C here. */
#ifndef ARCH_H
#define ARCH_H

#define LINEAR 0xffffff8000000000 /* the kernel's half shows physical address 0 here */
#define RAM    0x40000000

#define LEVELS       3
#define ENTRY_TABLE  0x003
#define ENTRY_PAGE   0xf03 /* valid, inner shareable, accessed, not global; memory is index 0 */
#define ENTRY_BLOCK  0x701 /* a block, global */
#define ENTRY_DEVICE 0x0060000000000405 /* a block of devices, never executed; index 1 */

#endif /* ARCH_H */
