/* SPDX-License-Identifier: MIT */
/*
 * A set of CPU numbers 0 .. KTLB_CFG_MAX_CPUS - 1.
 *
 * Plain memory: whoever shares a set between CPUs holds the lock that guards it. A set of zero
 * bytes is empty. Numbers beyond the last CPU are the caller's error and are not looked at.
 */
#ifndef KTLB_CPUSET_H
#define KTLB_CPUSET_H

#include <stdint.h>

#include <ktlb/atomic.h>
#include <ktlb/config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KTLB_CPUSET_WORDS ((KTLB_CFG_MAX_CPUS + 63) / 64)

struct ktlb_cpuset {
	uint64_t word[KTLB_CPUSET_WORDS];
};

/* Which word a CPU's bit is in: no arithmetic where there is only one. */
static inline uint32_t ktlb_cpuset_word(uint32_t cpu)
{
	return KTLB_CPUSET_WORDS == 1 ? 0 : cpu / 64;
}

static inline void ktlb_cpuset_add(struct ktlb_cpuset *set, uint32_t cpu)
{
	set->word[ktlb_cpuset_word(cpu)] |= (uint64_t)1 << cpu % 64;
}

static inline void ktlb_cpuset_remove(struct ktlb_cpuset *set, uint32_t cpu)
{
	set->word[ktlb_cpuset_word(cpu)] &= ~((uint64_t)1 << cpu % 64);
}

static inline int ktlb_cpuset_has(const struct ktlb_cpuset *set, uint32_t cpu)
{
	return (int)(set->word[ktlb_cpuset_word(cpu)] >> cpu % 64 & 1);
}

/* Word by word through atomic.h: the compiler would call memcpy for plain ones in a loop. */
static inline void ktlb_cpuset_copy(struct ktlb_cpuset *to, const struct ktlb_cpuset *from)
{
	for (uint32_t i = 0; i < KTLB_CPUSET_WORDS; i++)
		ktlb_store_relaxed(&to->word[i], from->word[i]);
}

/* The first member that is not below `cpu`, or KTLB_CFG_MAX_CPUS if there is none. */
static inline uint32_t ktlb_cpuset_next(const struct ktlb_cpuset *set, uint32_t cpu)
{
	for (uint32_t i = cpu / 64; i < KTLB_CPUSET_WORDS; i++) {
		uint64_t word = set->word[i];

		if (i == cpu / 64)
			word &= ~(uint64_t)0 << cpu % 64;
		if (word)
			return i * 64 + (uint32_t)__builtin_ctzll(word);
	}
	return KTLB_CFG_MAX_CPUS;
}

/* Runs the statement that follows for each member of the set, lowest first. */
#define ktlb_cpuset_for_each(cpu, set)                                      \
	for ((cpu) = ktlb_cpuset_next((set), 0); (cpu) < KTLB_CFG_MAX_CPUS; \
	     (cpu) = ktlb_cpuset_next((set), (cpu) + 1))

#ifdef __cplusplus
}
#endif

#endif /* KTLB_CPUSET_H */
