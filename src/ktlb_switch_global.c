/* SPDX-License-Identifier: MIT */
/*
 * What a CPU has loaded: switch to a space, and lazy mode.
 *
 * A switch is: a barrier that closes what the outgoing thread has begun here [B1]; an id; the root
 * register; `loaded`. The id comes from the fast path below, which touches three lines (the space,
 * this CPU's own, the system's read-mostly one) and writes its own, or from the allocator.
 *
 * active == next's id says that root and id are in the register already: `active` is set to a
 * space's id by a switch alone, which loads its root before interrupts come back; lazy mode, which
 * takes the root off, replaces it; and no two spaces have one id. So nothing is left to do then,
 * even if a rollover is under way: it keeps the id's number for this CPU.
 *
 * Lazy: no user root is loaded (arm64: the empty table is). `active` becomes KTLB_ID_LAZY, so that
 * a rollover need not keep a number for this CPU; but a 0 stays 0, for it stands for a debt.
 */
#include "ktlb_asid_global.h"

/*
 * O1. After: the state is found from the per-CPU base register. Before: from the CPU's number (a
 * load) in the table of all CPUs (another), where a CPU that is not online has a null.
 */
static inline struct ktlb_cpu *switching_cpu(void)
{
	if (KTLB_CFG_OPT_THIS_CPU_ASID)
		return ktlb_cpu_self();
	return ktlb_cpus[ktlb_cpu_id()];
}

/*
 * The first time here. Of two CPUs that are the first at once one becomes the owner, and the other finds it.
 */
static __attribute__((noinline, cold)) void enter_first(struct ktlb_space *space, uint64_t me)
{
	uint64_t owner = 0;

	if (!ktlb_cas_relaxed(&space->owner, &owner, me))
		ktlb_store_relaxed(&space->owner, KTLB_OWNED_BY_ALL);
	ktlb_arch_owner_barrier(); /* [B50] */
}

/*
 * KTLB_CFG_ARM64_LOCAL: this CPU is among those that the space has run on, before its root is loaded.
 * That another CPU has said so needs no barrier here: what this CPU could read, a flusher reads, too,
 * and the root is written, and synchronised [B6], only when the value is there.
 */
static inline void enter(const struct ktlb_cpu *self, struct ktlb_space *space)
{
	uint64_t me = (uint64_t)self->number + 1;
	uint64_t owner = ktlb_load_dependency(&space->owner);

	if (ktlb_unlikely(owner != me && owner != KTLB_OWNED_BY_ALL))
		enter_first(space, me);
}

/* Root and id into the registers, and the space into `loaded`. */
static inline void load(struct ktlb_cpu *self, struct ktlb_space *next, uint64_t id)
{
	if (KTLB_ARCH_LOCAL)
		enter(self, next);
	ktlb_arch_load_root(next->root, KTLB_ID_NUMBER(id), ktlb_sys.kernel_root);
	/*
	 * [B13] After the ISB [B6], which no later store overtakes; partner: a rollover. Earlier: the old root
	 * is believed to be gone while it is still walked.
	 */
	ktlb_store_relaxed(&self->loaded, next);
}

static void switch_slow(struct ktlb_cpu *self, struct ktlb_space *next);

void ktlb_switch(struct ktlb_space *next)
{
	struct ktlb_cpu *self;
	uint64_t id, active;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_switch: interrupts must be off", 0, 0);
	ktlb_arch_switch_barrier(); /* [B1] */

	self = switching_cpu();
	if (KTLB_CFG_CHECK && !KTLB_CFG_OPT_THIS_CPU_ASID && ktlb_unlikely(!self)) {
		switch_slow(self, next);
		return;
	}
	id = ktlb_load_dependency(&next->id); /* the root register's content depends on it: [B3] */
	active = ktlb_load_relaxed(&self->active);
	if (ktlb_unlikely(KTLB_ID_GENERATION(id) != ktlb_load_relaxed(&ktlb_sys.generation))) {
		switch_slow(self, next);
	} else if (active == id) {
		ktlb_count_of(KTLB_COUNT_SWITCH_SAME, next, 0, 0, 0);
	} else if (ktlb_likely(active != 0 && ktlb_cas_relaxed(&self->active, &active, id))) {
		ktlb_count_of(KTLB_COUNT_SWITCH_HIT, next, 0, 0, 0);
		load(self, next, id);
	} else {
		switch_slow(self, next);
	}
}

void ktlb_enter_lazy(void)
{
	struct ktlb_cpu *self;
	uint64_t active;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_enter_lazy: interrupts must be off", 0, 0);
	ktlb_arch_switch_barrier(); /* [B1] */

	self = switching_cpu();
	if ((!KTLB_CFG_OPT_THIS_CPU_ASID && !self) || !ktlb_load_relaxed(&self->loaded)) {
		KTLB_CHECK(self && self->magic == KTLB_CPU_MAGIC,
		           "ktlb_enter_lazy: this CPU is not online", 0, 0);
		return;
	}
	ktlb_count(KTLB_COUNT_ENTER_LAZY);
	ktlb_arch_load_kernel_root(ktlb_sys.kernel_root);
	ktlb_store_relaxed(&self->loaded, (struct ktlb_space *)0); /* [B13] */

	/* Fails only against a rollover, which leaves a 0. */
	active = ktlb_load_relaxed(&self->active);
	if (active != 0)
		ktlb_cas_relaxed(&self->active, &active, KTLB_ID_LAZY);
}

/* The lazy mode of this half has left the root already; [B1] has completed what this CPU began. */
struct ktlb_space *ktlb_leave_space(struct ktlb_cpu *self)
{
	struct ktlb_space *last = ktlb_load_relaxed(&self->loaded);

	ktlb_enter_lazy();
	return last;
}

static __attribute__((noinline, cold)) void switch_slow(struct ktlb_cpu *self,
                                                        struct ktlb_space *next)
{
	/*
	 * Where CPUs share entries none is made from here on until the new root is there: what another
	 * CPU may meet is then what the allocator has in its books.
	 */
	if (ktlb_arch_shares_entries(ktlb_sys.features))
		ktlb_arch_load_kernel_root(ktlb_sys.kernel_root);
	load(self, next, ktlb_ids_enter_slow(self, next));
}

/* Whatever is on its way, the register says what this CPU walks from. */
int ktlb_loaded(const struct ktlb_space *space)
{
	return space->self == space && ktlb_arch_root_is_loaded(space->root);
}
