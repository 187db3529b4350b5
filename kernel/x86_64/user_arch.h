/* SPDX-License-Identifier: MIT */
/* The user programs' x86-64: system calls, and accesses that may fault (user.S). */
#ifndef USER_ARCH_H
#define USER_ARCH_H

#include <stdint.h>

#include <layout.h>

/*
 * rax: the number; rdi, rsi, rdx, rcx, r8, r9: arguments, the first five also results. The kernel
 * keeps all other registers, since the gate is an interrupt's.
 */
static inline uint64_t syscall_invoke(uint64_t number, uint64_t arg[6])
{
	register uint64_t r8 __asm__("r8") = arg[4];
	register uint64_t r9 __asm__("r9") = arg[5];

	__asm__ volatile("int %[vector]"
	                 : "+D"(arg[0]), "+S"(arg[1]), "+d"(arg[2]), "+c"(arg[3]), "+r"(r8)
	                 : "a"(number), "r"(r9), [vector] "i"(VECTOR_SYSCALL)
	                 : "memory");
	arg[4] = r8;
	return arg[0];
}

/* 1 if the access worked, 0 if it faulted. Faults in [try_begin, try_end) go to try_failed. */
int try_load(uint64_t va, uint64_t *value);
int try_store(uint64_t va, uint64_t value);
extern const char try_begin[], try_end[], try_failed[];

#endif /* USER_ARCH_H */
