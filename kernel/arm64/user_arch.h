/* SPDX-License-Identifier: MIT */
/* The user programs' arm64: system calls, and accesses that may fault (user.S). */
#ifndef USER_ARCH_H
#define USER_ARCH_H

#include <stdint.h>

/* x8: the number; x0..x5: arguments, x0..x4: results. The kernel keeps all other registers. */
static inline uint64_t syscall_invoke(uint64_t number, uint64_t arg[6])
{
	register uint64_t x0 __asm__("x0") = arg[0];
	register uint64_t x1 __asm__("x1") = arg[1];
	register uint64_t x2 __asm__("x2") = arg[2];
	register uint64_t x3 __asm__("x3") = arg[3];
	register uint64_t x4 __asm__("x4") = arg[4];
	register uint64_t x5 __asm__("x5") = arg[5];
	register uint64_t x8 __asm__("x8") = number;

	__asm__ volatile("svc #0"
	                 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4)
	                 : "r"(x5), "r"(x8)
	                 : "memory");
	arg[1] = x1;
	arg[2] = x2;
	arg[3] = x3;
	arg[4] = x4;
	return x0;
}

/* 1 if the access worked, 0 if it faulted. Faults in [try_begin, try_end) go to try_failed. */
int try_load(uint64_t va, uint64_t *value);
int try_store(uint64_t va, uint64_t value);
extern const char try_begin[], try_end[], try_failed[];

#endif /* USER_ARCH_H */
