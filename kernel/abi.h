/* SPDX-License-Identifier: MIT */
/* What the kernel and the user programs agree on. */
#ifndef ABI_H
#define ABI_H

#include <stdint.h>

/* Where things are in every process. Programs choose addresses from USER_FREE up as they like. */
#define USER_TEXT        0x00400000ull
#define USER_STACKS      0x10000000ull
#define USER_STACK_SIZE  0x4000ull
#define USER_STACK_STEP  0x10000ull /* a hole below each stack: an overflow faults */
#define USER_MAX_THREADS 64
#define USER_FREE        0x20000000ull

enum {
	PROT_READ = 1u << 0,
	PROT_WRITE = 1u << 1,
	PROT_EXEC = 1u << 2,
};

#define MESSAGE_WORDS 4
struct message {
	uint64_t word[MESSAGE_WORDS];
};

/*
 * The system calls. Sizes are in bytes, whole pages; all return 0, or what is said here, or -1.
 */
enum {
	SYS_MAP,         /* address, size, prot: pages of zeroes, each allocated when touched */
	SYS_UNMAP,       /* address, size: holes are fine */
	SYS_PROTECT,     /* address, size, prot */
	SYS_DONTNEED,    /* address, size: the pages are zeroes again, as if never touched */
	SYS_CHANNEL,     /* -> a new channel */
	SYS_SEND,        /* channel, 4 words; waits while the channel is full */
	SYS_RECEIVE,     /* channel -> and 4 words; waits while it is empty */
	SYS_SPAWN,       /* program, arg -> a new process */
	SYS_THREAD,      /* pc, arg0, arg1, CPU: a new thread of this process, for that CPU alone */
	SYS_WAIT,        /* process -> its exit code */
	SYS_EXIT,        /* code: ends the process */
	SYS_THREAD_EXIT, /* ends the thread; with the last one the process, exit code 0 */
	SYS_YIELD,
	SYS_CPU,      /* -> the number of the CPU */
	SYS_ON_FAULT, /* from, to, go: a fault of code in [from, to) continues at go */
	SYS_PRINT,    /* address, size of a text */
	SYS_DIE,      /* address, size of a text, two values: prints them, exit code 1 */
};

/* SYS_THREAD: for all CPUs. */
#define CPU_ANY (~0ull)

/* The programs, by number, each with its argument. */
enum {
	PROGRAM_COHERENCE,    /* how | threads << 8 | rounds << 16: see user/coherence.c */
	PROGRAM_PATTERN,      /* in channel | out channel << 16 | pattern << 32 */
	PROGRAM_WANDER,       /* threads | rounds << 16 */
	PROGRAM_STORM,        /* threads | rounds << 16 */
	PROGRAM_GIVE_BACK,    /* threads, a CPU each | look << 16 | rounds << 32 */
	PROGRAM_EXIT_IN_TURN, /* threads */
	PROGRAM_SENDER,       /* first channel | index << 16 | loops << 32 */
	PROGRAM_RECEIVER,     /* own channel | loops << 32 */
	PROGRAM_SPARSE,       /* rounds: unmaps more than a top-level entry at once */
	PROGRAM_LAZY,         /* channel | how << 16 | helpers << 24 | rounds << 32 */
	PROGRAM_FAULT,        /* faults without a handler: must be killed, exit code -2 */
	PROGRAMS
};

/* In a group of the messaging load. */
#define GROUP_SENDERS   20
#define GROUP_RECEIVERS 20

/* PROGRAM_COHERENCE: what is done to pages that all threads are using. */
enum {
	HOW_UNMAP,       /* must fault; a neighbour keeps the table alive */
	HOW_UNMAP_TABLE, /* must fault; the tables are freed with it */
	HOW_PROTECT,     /* writes must fault, then must not */
	HOW_DONTNEED,    /* must be zero */
};

/* Why a process ended that did not call SYS_EXIT. */
#define EXIT_FAULT (-2)

#endif /* ABI_H */
