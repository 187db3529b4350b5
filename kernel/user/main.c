/* SPDX-License-Identifier: MIT */
/* Where each process begins, and the system calls that must not fail. */
#include "user.h"

void user_main(uint64_t program, uint64_t arg);

static void (*const programs[PROGRAMS])(uint64_t arg) = {
	[PROGRAM_COHERENCE] = program_coherence, [PROGRAM_PATTERN] = program_pattern,
	[PROGRAM_WANDER] = program_wander,       [PROGRAM_STORM] = program_storm,
	[PROGRAM_GIVE_BACK] = program_give_back, [PROGRAM_EXIT_IN_TURN] = program_exit_in_turn,
	[PROGRAM_SENDER] = program_sender,       [PROGRAM_RECEIVER] = program_receiver,
	[PROGRAM_SPARSE] = program_sparse,       [PROGRAM_LAZY] = program_lazy,
	[PROGRAM_FAULT] = program_fault,
};

void user_main(uint64_t program, uint64_t arg)
{
	call(SYS_ON_FAULT, (uint64_t)(uintptr_t)try_begin, (uint64_t)(uintptr_t)try_end,
	     (uint64_t)(uintptr_t)try_failed, 0);
	programs[program](arg);
	sys_exit(0);
}

static void must(uint64_t result, uint64_t number, uint64_t va)
{
	if (result)
		DIE("a system call failed: number, address", number, va);
}

void map(uint64_t va, uint64_t pages, uint32_t prot)
{
	must(call(SYS_MAP, va, pages * PAGE, prot, 0), SYS_MAP, va);
}

void unmap(uint64_t va, uint64_t pages)
{
	must(call(SYS_UNMAP, va, pages * PAGE, 0, 0), SYS_UNMAP, va);
}

void protect(uint64_t va, uint64_t pages, uint32_t prot)
{
	must(call(SYS_PROTECT, va, pages * PAGE, prot, 0), SYS_PROTECT, va);
}

void dontneed(uint64_t va, uint64_t pages)
{
	must(call(SYS_DONTNEED, va, pages * PAGE, 0, 0), SYS_DONTNEED, va);
}

static void thread_start(uint64_t start, uint64_t arg)
{
	((void (*)(uint64_t))(uintptr_t)start)(arg);
	sys_thread_exit();
}

void thread_create_on(uint64_t cpu, void (*start)(uint64_t), uint64_t arg)
{
	must(call(SYS_THREAD, (uint64_t)(uintptr_t)thread_start, (uint64_t)(uintptr_t)start, arg,
	          cpu),
	     SYS_THREAD, cpu);
}

void thread_create(void (*start)(uint64_t), uint64_t arg)
{
	thread_create_on(CPU_ANY, start, arg);
}

void send(uint64_t channel, const struct message *message)
{
	uint64_t arg[6] = {channel, message->word[0], message->word[1], message->word[2],
	                   message->word[3]};

	must(syscall_invoke(SYS_SEND, arg), SYS_SEND, channel);
}

void receive(uint64_t channel, struct message *message)
{
	uint64_t arg[6] = {channel};

	must(syscall_invoke(SYS_RECEIVE, arg), SYS_RECEIVE, channel);
	for (uint32_t i = 0; i < MESSAGE_WORDS; i++)
		message->word[i] = arg[1 + i];
}

/* Xorshift (Marsaglia 2003); the state must not be 0. */
uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16;
}
