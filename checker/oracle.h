/* SPDX-License-Identifier: MIT */
/*
 * The oracle: what flushes have promised, and whether a CPU could break it.
 *
 * A flush that completes promises: what the caller knew to be replaced when it called is used by no CPU
 * any more. So a promise is begun with the versions of the entries in the caller's view, and kept from
 * the moment the call returns: older versions are forbidden.
 *
 * A version is forbidden where it could be used: under the id and root that a CPU has loaded, in user mode for
 * the user's half, always for the kernel's. What is left under other ids is no fault until it can be used.
 */
#ifndef CHECKER_ORACLE_H
#define CHECKER_ORACLE_H

#include <stdint.h>

#include "sim.h"

struct oracle_promise {
	uint64_t covered[(SIM_PTES + 63) / 64];
	uint8_t version[SIM_PTES];
	const char *what;
};

/* Forgets all tables and promises: before a set-up. */
void oracle_begin_world(void);

/*
 * A table of the world (see tlb_table). `number` is the space's, -1 the kernel's; `parent` is the pte
 * whose slot it serves, -1 for a root. Returns its first pte.
 */
unsigned oracle_table(uint64_t pa, int is_root, int number, uint64_t va, uint64_t *words,
                      unsigned entries, int parent);

/* Begins a promise about [va, va + size) of a space; leaf_only: not about upper levels. */
void oracle_promise(struct oracle_promise *p, const char *what, int number, uint64_t va,
                    uint64_t size, int leaf_only);
/* The call has returned. */
void oracle_keep(const struct oracle_promise *p);

/* No CPU has this root any more, and nothing of the space may be used again. */
void oracle_destroyed(int number, uint64_t root_pa);

/* A CPU has come online: from now on promises are about it, too. */
void oracle_online(uint32_t cpu);

/* The running CPU is in user mode, in this space: could it use what is forbidden? */
void oracle_user(uint32_t cpu, int number);
/* Which space a CPU in user mode is in; -1: it is not in user mode. */
void oracle_in_user(uint32_t cpu, int number);

/* A race that a scenario is about has been reached. */
void oracle_reached(const char *name);

struct oracle_reach {
	const char *name;
	uint64_t count;
};
extern struct oracle_reach oracle_reach[32];
void oracle_reset(void); /* before each run */

#endif /* CHECKER_ORACLE_H */
