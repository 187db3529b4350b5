/* SPDX-License-Identifier: MIT */
/*
 * What a CPU has loaded, where ids are per CPU: switch to a space, and lazy mode. The protocol and its
 * races are told in ktlb_asid_percpu.h; here is the order of the switch.
 *
 *   1. lazy := 0, loaded := KTLB_SWITCHING
 *   2. this CPU into the set of the next space, if it is not there
 *   3. full fence [B20]
 *   4. the generation of the next space
 *   5. the root register: keeping what is cached, if the slot is clean up to that generation
 *   6. loaded := next [B23]
 *   7. before KTLB_CFG_OPT_KEEP_MASK_BIT: this CPU out of the set of the last space. Not earlier: a
 *      flusher that does not see the bit frees tables that the old root is still walked from
 *
 * load_space is that order. What it needs to know is this CPU's own and may be looked up before: is
 * this CPU in the set, and which slot is the space's? Mostly yes, and one that was there already;
 * otherwise switch_slow puts it right. A space that is not initialised has an empty set, so that
 * switch_slow meets it and looks.
 *
 * Interrupts are off, so that a request arrives before step 1 or after step 6. Only this CPU writes
 * its slots, `loaded` and `lazy`, and its bit in a set.
 *
 * Lazy mode says that nothing of the user's half is used until further notice: a flusher of leaves
 * need not interrupt this CPU. It may still walk from the root, so a flusher of tables must; this
 * CPU answers by loading the kernel's root.
 */
#include "ktlb_asid_percpu.h"

/* Each is called last: so the path that does not need it saves no registers for it. */
static void switch_slow(struct ktlb_cpu *self, struct ktlb_space *last, struct ktlb_space *next);
static void return_from_lazy(struct ktlb_cpu *self, struct ktlb_space *next);

/* Steps 1 to 7, into the space's own slot. `enter`: this CPU is not in the set. */
KTLB_INLINE void load_space(struct ktlb_cpu *self, struct ktlb_space *last, struct ktlb_space *next,
                            struct ktlb_slot *slot, int enter)
{
	uint64_t generation;

	if (ktlb_unlikely(ktlb_load_relaxed(&self->lazy)))
		ktlb_store_relaxed(&self->lazy, (uint64_t)0);
	ktlb_store_relaxed(&self->loaded, KTLB_SWITCHING);
	if (enter) {
		ktlb_mask_add(next, self->number);
		ktlb_fence_after_rmw(); /* [B20] */
	} else {
		ktlb_fence_full(); /* [B20] */
	}

	/* [B24] acquire, partner: the release of a flusher. Without it: walks from before the change. */
	generation = ktlb_load_acquire(&next->generation);
	if (ktlb_likely(slot->clean == generation)) {
		ktlb_count_of(KTLB_COUNT_SWITCH_HIT, next, 0, 0, generation);
		ktlb_arch_load_root(next->root, slot->tag, 1);
	} else {
		ktlb_count_of(KTLB_COUNT_SWITCH_FLUSH, next, 0, 0, generation);
		slot->clean = generation;
		ktlb_empty_user_id_later(self, slot);
		ktlb_arch_load_root(next->root, slot->tag, 0);
	}
	self->loaded_slot = slot;
	/* [B23] release: who sees the space sees the root register loaded; partner: the flusher. */
	ktlb_store_release(&self->loaded, next);

	if (!KTLB_CFG_OPT_KEEP_MASK_BIT && last)
		ktlb_mask_remove(last, self->number);
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK && !last)
		ktlb_mask_remove(&ktlb_kernel_space, self->number);
}

/*
 * The slot that has the space; null: none. An empty one has id 0, which no space has. Unrolled (by
 * KTLB_SLOTS, which a pragma of gcc's cannot name) a slot more is 3 instructions, not 5.
 */
KTLB_INLINE struct ktlb_slot *find_slot(struct ktlb_cpu *self, const struct ktlb_space *space)
{
	struct ktlb_slot *slot = self->slot;

#pragma GCC unroll 6
	for (uint32_t i = 0; i < KTLB_SLOTS; i++, slot++)
		if (slot->space_id == space->id)
			return slot;
	return 0;
}

void ktlb_switch(struct ktlb_space *next)
{
	struct ktlb_cpu *self;
	struct ktlb_space *last;
	struct ktlb_slot *slot;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_switch: interrupts must be off", 0, 0);
	KTLB_CHECK(next, "ktlb_switch: the space is not initialised", 0, 0);
	self = ktlb_cpu_self();
	last = ktlb_load_relaxed(&self->loaded);
	if (last == next) {
		if (ktlb_unlikely(ktlb_load_relaxed(&self->lazy))) {
			return_from_lazy(self, next);
			return;
		}
		ktlb_fence_full(); /* the contract's: nothing here needs it */
		ktlb_count_of(KTLB_COUNT_SWITCH_SAME, next, 0, 0, 0);
		return;
	}

	slot = find_slot(self, next);
	if (ktlb_unlikely(!slot || !ktlb_mask_has(next, self->number) ||
	                  (KTLB_CFG_CHECK && next->self != next)))
		switch_slow(self, last, next);
	else
		load_space(self, last, next, slot, 0);
}

/* A slot for a space that has none: the one that was taken longest ago, with nothing of it cached. */
static struct ktlb_slot *take_slot(struct ktlb_cpu *self, const struct ktlb_space *space)
{
	struct ktlb_slot *slot = &self->slot[self->next_victim];

	ktlb_count(KTLB_COUNT_ID_NEW);
	self->next_victim = (self->next_victim + 1) % KTLB_SLOTS;
	slot->space_id = space->id;
	slot->clean = KTLB_NEVER_CLEAN;
	return slot;
}

static __attribute__((noinline)) void switch_slow(struct ktlb_cpu *self, struct ktlb_space *last,
                                                  struct ktlb_space *next)
{
	struct ktlb_slot *slot;

	KTLB_REQUIRE(next->self == next, "ktlb_switch: the space is not initialised",
	             (uintptr_t)next->self, (uintptr_t)next);
	KTLB_REQUIRE(self->magic == KTLB_CPU_MAGIC, "ktlb_switch: this CPU is not online", 0, 0);

	slot = find_slot(self, next);
	if (!slot)
		slot = take_slot(self, next);
	load_space(self, last, next, slot, !ktlb_mask_has(next, self->number));
}

/*
 * The space stayed loaded; requests have passed this CPU over meanwhile. [B21] Without the fence the
 * generation is read before `lazy` is seen to be 0.
 */
static __attribute__((noinline)) void return_from_lazy(struct ktlb_cpu *self,
                                                       struct ktlb_space *next)
{
	struct ktlb_slot *slot = self->loaded_slot;
	uint64_t generation;

	ktlb_store_relaxed(&self->lazy, (uint64_t)0);
	ktlb_fence_full();                                 /* [B21] */
	generation = ktlb_load_acquire(&next->generation); /* [B24] */
	if (slot->clean == generation) {
		ktlb_count_of(KTLB_COUNT_SWITCH_HIT, next, 0, 0, generation);
		return;
	}
	ktlb_count_of(KTLB_COUNT_LAZY_FLUSH, next, 0, 0, generation);
	ktlb_empty_user_id_later(self, slot);
	ktlb_arch_load_root(next->root, slot->tag, 0);
	slot->clean = generation; /* not before: ktlb_loaded may be asked in between */
}

/* The kernel's root in place of the last space's. */
static void load_kernel_root(struct ktlb_cpu *self, struct ktlb_space *last)
{
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK)
		ktlb_mask_add(&ktlb_kernel_space, self->number);
	ktlb_arch_load_kernel_root(ktlb_sys.kernel_root, ktlb_sys.features);
	ktlb_store_release(&self->loaded, (struct ktlb_space *)0); /* [B23] */
	if (!KTLB_CFG_OPT_KEEP_MASK_BIT)
		ktlb_mask_remove(last, self->number);
}

void ktlb_enter_lazy(void)
{
	struct ktlb_cpu *self;
	struct ktlb_space *last;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_enter_lazy: interrupts must be off", 0, 0);
	/* The contract's full barrier: what this CPU did is seen before it is seen to be lazy. */
	ktlb_fence_full();
	self = ktlb_cpu_self();
	last = ktlb_load_relaxed(&self->loaded);
	if (ktlb_unlikely(!last || ktlb_load_relaxed(&self->lazy))) {
		KTLB_CHECK(self->magic == KTLB_CPU_MAGIC, "ktlb_enter_lazy: this CPU is not online",
		           0, 0);
		return;
	}
	ktlb_count(KTLB_COUNT_ENTER_LAZY);
	if (KTLB_CFG_OPT_LAZY)
		ktlb_store_relaxed(&self->lazy, (uint64_t)1);
	else
		load_kernel_root(self, last);
}

void ktlb_leave_lazy_space(struct ktlb_cpu *self)
{
	load_kernel_root(self, ktlb_load_relaxed(&self->loaded));
	ktlb_store_relaxed(&self->lazy, (uint64_t)0);
}

/*
 * The root first, then the set [B31]: a flusher that does not find this CPU in the set any more frees
 * tables, or ends the space, without asking it.
 */
struct ktlb_space *ktlb_leave_space(struct ktlb_cpu *self)
{
	struct ktlb_space *last = ktlb_load_relaxed(&self->loaded);
	uint64_t lazy = ktlb_load_relaxed(&self->lazy);

	if (!last)
		return 0;
	ktlb_leave_lazy_space(self);
	if (KTLB_CFG_OPT_KEEP_MASK_BIT)
		ktlb_mask_remove(last, self->number);
	return lazy ? 0 : last;
}

/*
 * `loaded` alone is not enough: it stays while the kernel's root goes in. Neither is `lazy` with it: it is
 * taken back before the generation is looked at.
 */
int ktlb_loaded(const struct ktlb_space *space)
{
	const struct ktlb_cpu *self = ktlb_cpu_self();
	const struct ktlb_slot *slot = self->loaded_slot;

	return ktlb_load_relaxed(&self->loaded) == space && !ktlb_load_relaxed(&self->lazy) &&
	       slot->clean == ktlb_load_acquire(&space->generation) &&
	       ktlb_arch_root_is(space->root, slot->tag);
}

#if KTLB_CFG_SPLIT_IDS
_Static_assert(KTLB_SLOTS <= 8 * sizeof(((struct ktlb_cpu *)0)->user_stale), "a bit a slot");

void ktlb_space_user_root(struct ktlb_space *space, uint64_t user_root)
{
	KTLB_REQUIRE(space->self == space, "ktlb_space_user_root: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);
	KTLB_REQUIRE(
		(user_root & KTLB_ARCH_ROOT_MUST_CLEAR) == 0,
		"ktlb_space_user_root: root has bits that ktlb or the architecture needs clear",
		user_root, user_root & ~KTLB_ARCH_ROOT_MUST_CLEAR);
	space->user_root = user_root;
}

uint64_t ktlb_exit_cr3(uint64_t *entry)
{
	struct ktlb_cpu *self = ktlb_cpu_self();
	const struct ktlb_space *space = ktlb_load_relaxed(&self->loaded);
	const struct ktlb_slot *slot = self->loaded_slot;
	uint32_t bit;
	int keep;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_exit_cr3: interrupts must be off", 0, 0);
	KTLB_CHECK(space && !ktlb_load_relaxed(&self->lazy), "ktlb_exit_cr3: no space is loaded", 0,
	           0);
	bit = ktlb_slot_bit(self, slot);
	keep = !(self->user_stale & bit);
	self->user_stale &= ~bit;
	*entry = ktlb_arch_tagged_root(space->root, slot->tag, 1);
	return ktlb_arch_tagged_root(space->user_root ? space->user_root : space->root,
	                             ktlb_arch_user_tag(slot->tag), keep);
}
#endif
