/* SPDX-License-Identifier: MIT */
/* What trap.c, machine.c and ktlb_port.c ask of one another, and the instructions they share. */
#ifndef MACHINE_H
#define MACHINE_H

#include <ktlb/ktlb.h>
#include <stdint.h>

#define READ_REGISTER(name)                                                         \
	static inline uint64_t read_##name(void)                                    \
	{                                                                           \
		uint64_t value;                                                     \
                                                                                    \
		__asm__ volatile("mov %%" #name ", %0" : "=r"(value) : : "memory"); \
		return value;                                                       \
	}

READ_REGISTER(cr2)
READ_REGISTER(cr4)

static inline void write_cr4(uint64_t value)
{
	__asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static inline uint64_t read_msr(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number) : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void write_msr(uint32_t number, uint64_t value)
{
	__asm__ volatile("wrmsr"
	                 :
	                 : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
	                 : "memory");
}

/* Tables for traps on this CPU, as soon as it runs C; its task state, once per-CPU data works. */
void trap_start(void);
void trap_start_cpu(uint32_t cpu);

/* One interrupt, VECTOR_*; interrupts off. */
void machine_interrupt(uint64_t vector);

/* Who this CPU is; what its microcode is, nobody tells. */
struct ktlb_identity machine_identity(void);

/* Interrupts a CPU; what this CPU stored before is visible to the handler. */
void machine_send(uint32_t cpu, uint32_t vector);

#endif /* MACHINE_H */
