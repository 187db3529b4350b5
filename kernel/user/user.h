/* SPDX-License-Identifier: MIT */
/*
 * What the user programs have: the system calls as functions, accesses that may fault, and a way to
 * fail. All programs are one image, shared read-only by all processes: no program has a variable
 * outside its stack and what it maps.
 */
#ifndef USER_H
#define USER_H

#include <stddef.h>
#include <stdint.h>

#include <ktlb/atomic.h>
#include <ktlb_arch/insn.h>

#include <abi.h>
#include <user_arch.h> /* syscall_invoke, try_load, try_store, and where they may fault */

#define PAGE 4096ull

static inline uint64_t call(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t arg[6] = {a, b, c, d, 0, 0};

	return syscall_invoke(number, arg);
}

#define sys_yield()             call(SYS_YIELD, 0, 0, 0, 0)
#define sys_cpu()               call(SYS_CPU, 0, 0, 0, 0)
#define sys_exit(code)          call(SYS_EXIT, (uint64_t)(code), 0, 0, 0)
#define sys_thread_exit()       call(SYS_THREAD_EXIT, 0, 0, 0, 0)
#define sys_spawn(program, arg) call(SYS_SPAWN, (program), (arg), 0, 0)
#define sys_wait(process)       call(SYS_WAIT, (process), 0, 0, 0)

/* Ends the process as failed, with a sentence and two values. */
#define DIE(sentence, a, b)                                                                 \
	call(SYS_DIE, (uint64_t)(uintptr_t)(sentence), sizeof(sentence) - 1, (uint64_t)(a), \
	     (uint64_t)(b))

/* These end the process if the kernel refuses. */
void map(uint64_t va, uint64_t pages, uint32_t prot);
void unmap(uint64_t va, uint64_t pages);
void protect(uint64_t va, uint64_t pages, uint32_t prot);
void dontneed(uint64_t va, uint64_t pages);
void thread_create(void (*start)(uint64_t), uint64_t arg);
void thread_create_on(uint64_t cpu, void (*start)(uint64_t), uint64_t arg);
void send(uint64_t channel, const struct message *message);
void receive(uint64_t channel, struct message *message);

/* Small pseudo-random numbers, the same in every run. */
uint64_t next_random(uint64_t *state);

void program_coherence(uint64_t arg);
void program_pattern(uint64_t arg);
void program_wander(uint64_t arg);
void program_storm(uint64_t arg);
void program_give_back(uint64_t arg);
void program_exit_in_turn(uint64_t arg);
void program_sender(uint64_t arg);
void program_receiver(uint64_t arg);
void program_sparse(uint64_t arg);
void program_lazy(uint64_t arg);
void program_fault(uint64_t arg);

#endif /* USER_H */
