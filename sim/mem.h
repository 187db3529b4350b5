/* SPDX-License-Identifier: MIT */
/* Between mem.c, sched.c and trace.c. */
#ifndef SIM_MEM_H
#define SIM_MEM_H

#include <stdint.h>

#define SIM_THREADS (2 * SIM_CPUS + 16)

void mem_start(void);
void mem_reset(void);
void mem_forget_ptes(void); /* of the scenario before */
void mem_extend(unsigned from);

/* tso: stores that this CPU's buffer holds; the oldest becomes visible. */
unsigned mem_buffered(uint32_t cpu);
void mem_drain_one(uint32_t cpu);

int mem_settle(void);

/* A thread leaves its CPU, and goes on on this one: what it has seen goes with it. */
void mem_hand_over_begin(unsigned thread);
void mem_hand_over_end(unsigned thread, uint32_t from);

/* A walker's locked update of an entry, visible to all. */
void mem_pte_update(unsigned pte, uint64_t value);

const char *trace_name_of(const void *address);
void trace_drained(uint32_t cpu, const void *address, uint64_t value);
void trace_fence(int order);

#endif /* SIM_MEM_H */
