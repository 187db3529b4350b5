/* SPDX-License-Identifier: MIT */
/*
 * Ids per CPU: what ids, switch and shootdown share where other CPUs are told by interrupt.
 *
 * The protocol
 *
 *   A space has an id that no other one has or had, a generation that every change raises, and a set
 *   of CPUs that may have it loaded. A CPU has a few slots, each with a hardware id: what is cached
 *   under it belongs to the space whose id is in the slot, and is clean up to a generation.
 *
 *   I1  Nothing is cached under a slot's hardware id that was replaced by a change whose number is
 *       at most the slot's `clean`. To flush without raising `clean` is always allowed; to raise it
 *       without flushing never is.
 *   I2  A slot's `clean` is at most the generation of its space.
 *   I3  Ids of spaces never repeat, so that an old slot cannot be taken for a new space's.
 *   I4  With interrupts on, the root register holds the root of `loaded`, under the hardware id of
 *       `loaded_slot`. In between `loaded` is KTLB_SWITCHING, which counts as every space.
 *   I5  loaded == S implies that the CPU is in S's set. The converse does not hold.
 *   I6  A request with number n describes all the changes of the flusher that drew n.
 *
 *   So a CPU that does not run a space needs no interrupt for its changes: its slot is behind, and
 *   the next switch to the space flushes.
 *
 * Three races, each between two stores and two loads, and each closed by full fences in between:
 *
 *     switch  [B20]                          flush
 *     the CPU's bit in the set := 1          generation += 1
 *     fence                                  fence
 *     read the generation                    read the set
 *
 *     switch  [B20]                          flush
 *     loaded := KTLB_SWITCHING               generation += 1
 *     fence                                  fence
 *     read the generation                    read loaded
 *
 *     return from lazy  [B21]                flush
 *     lazy := 0                              generation += 1
 *     fence                                  fence
 *     read the generation                    read lazy
 *
 * One of the two sees the other: the flusher interrupts the CPU, or the CPU reads a generation that
 * includes the change, and flushes; its walks afterwards see the new entry, which was written before
 * the generation.
 */
#ifndef KTLB_ASID_PERCPU_H
#define KTLB_ASID_PERCPU_H

#include "ktlb_priv.h"

/* ktlb_cpu.loaded between two roots. */
#define KTLB_SWITCHING ((struct ktlb_space *)1)

/* ktlb_slot.clean before anything is: generations begin after it. */
#define KTLB_NEVER_CLEAN 0

/* The kernel's own page table as a space: only its set of CPUs is used, and only before O4. */
extern KTLB_HIDDEN struct ktlb_space ktlb_kernel_space;

/* This CPU leaves or enters the set of a space. */
void ktlb_mask_add(struct ktlb_space *space, uint32_t cpu);
void ktlb_mask_remove(struct ktlb_space *space, uint32_t cpu);
KTLB_INLINE int ktlb_mask_has(const struct ktlb_space *space, uint32_t cpu)
{
	return (int)(ktlb_load_relaxed(&space->cpus.word[ktlb_cpuset_word(cpu)]) >> cpu % 64 & 1);
}

/*
 * Split ids: the user's id of a slot is not current while the kernel runs, and its root is not walked
 * from; so whatever has to go from there goes on the way out, by the load of the user's root. I1 holds
 * of a slot's user's id but for those whose bit is set. Only this CPU looks at its bits.
 */
KTLB_INLINE uint32_t ktlb_slot_bit(const struct ktlb_cpu *self, const struct ktlb_slot *slot)
{
	return 1u << (uint32_t)(slot - self->slot);
}

KTLB_INLINE void ktlb_empty_user_id_later(struct ktlb_cpu *self, const struct ktlb_slot *slot)
{
	if (KTLB_CFG_SPLIT_IDS)
		self->user_stale |= ktlb_slot_bit(self, slot);
}

/* Loads the kernel's root in place of a space that is loaded lazily. Interrupts off. */
void ktlb_leave_lazy_space(struct ktlb_cpu *self);

/* This CPU takes no more requests, and answers those that it has; takes requests again. */
void ktlb_requests_close(struct ktlb_cpu *self);
void ktlb_requests_open(struct ktlb_cpu *self);

#endif /* KTLB_ASID_PERCPU_H */
