/* SPDX-License-Identifier: MIT */
/*
 * Ids per system: what the allocator (ktlb_asid_global.c) shares with the switch and the flush.
 *
 * An id is a generation, from bit KTLB_ARCH_ID_BITS up, and a number below it, which is what the
 * hardware knows. 48 bits of generation do not wrap: at one rollover a microsecond they last for
 * nine years.
 */
#ifndef KTLB_ASID_GLOBAL_H
#define KTLB_ASID_GLOBAL_H

#include "ktlb_priv.h"

#define KTLB_ID_NUMBER(id)     ((id) & (((uint64_t)1 << KTLB_ARCH_ID_BITS) - 1))
#define KTLB_ID_GENERATION(id) ((id) >> KTLB_ARCH_ID_BITS << KTLB_ARCH_ID_BITS)
#define KTLB_GENERATION_STEP   ((uint64_t)1 << KTLB_ARCH_ID_BITS)

/*
 * ktlb_cpu.active of a CPU that runs no user space. Not 0, which means "a rollover has been here";
 * no id either, for its number is 0: a rollover has nothing to keep for this CPU.
 */
#define KTLB_ID_LAZY KTLB_GENERATION_STEP

/*
 * ktlb_space.owner of a space that has run on several CPUs, or is walked by others than CPUs. It goes
 * from 0 to a CPU + 1 to this, or from 0 to this, and never back in the space's life.
 */
#define KTLB_OWNED_BY_ALL (~(uint64_t)0)

/* ktlb_switch's slow path: gives `next` a current id and makes it this CPU's. Returns the id. */
uint64_t ktlb_ids_enter_slow(struct ktlb_cpu *self, struct ktlb_space *next);

#endif /* KTLB_ASID_GLOBAL_H */
