/* SPDX-License-Identifier: MIT */
/*
 * What a CPU has loaded, where ids are per CPU: switch to a space, and lazy mode. The protocol and its
 * races are told in ktlb_asid_percpu.h; here is the order of the switch.
 *
 *   1. lazy := 0, loaded := KTLB_SWITCHING
 *   2. this CPU into the set of the next space, if it is not there
 *   3. full fence [B20]
 *   4. the generation of the next space, and the slot that has it, or the next victim
 *   5. the root register: keeping what is cached, if the slot is clean up to that generation
 *   6. loaded := next [B23]
 *   7. before KTLB_CFG_OPT_KEEP_MASK_BIT: this CPU out of the set of the last space. Not earlier: a
 *      flusher that does not see the bit frees tables that the old root is still walked from
 *
 * Interrupts are off, so that a request arrives before step 1 or after step 6. Only this CPU writes
 * its slots, `loaded` and `lazy`.
 *
 * Lazy mode says that nothing of the user's half is used until further notice: a flusher of leaves
 * need not interrupt this CPU. It may still walk from the root, so a flusher of tables must; this
 * CPU answers by loading the kernel's root.
 */
#include "ktlb_asid_percpu.h"

static void switch_space(struct ktlb_cpu *self, struct ktlb_space *last, struct ktlb_space *next);
static void return_from_lazy(struct ktlb_cpu *self, struct ktlb_space *next);

void ktlb_switch(struct ktlb_space *next)
{
	struct ktlb_cpu *self;
	struct ktlb_space *last;

	KTLB_CHECK(ktlb_insn_irqs_off(), "ktlb_switch: interrupts must be off", 0, 0);
	KTLB_CHECK(next, "ktlb_switch: the space is not initialised", 0, 0);
	self = ktlb_cpu_self();
	last = ktlb_load_relaxed(&self->loaded);
	if (ktlb_unlikely(last != next)) {
		switch_space(self, last, next);
	} else if (ktlb_likely(!ktlb_load_relaxed(&self->lazy))) {
		ktlb_fence_full(); /* the contract's: nothing here needs it */
		ktlb_count(KTLB_COUNT_SWITCH_SAME);
	} else {
		return_from_lazy(self, next);
	}
}

static void switch_space(struct ktlb_cpu *self, struct ktlb_space *last, struct ktlb_space *next)
{
	uint64_t generation;
	uint32_t slot, slots;
	int keep;

	KTLB_REQUIRE(next->self == next, "ktlb_switch: the space is not initialised",
	             (uintptr_t)next->self, (uintptr_t)next);
	KTLB_REQUIRE(self->magic == KTLB_CPU_MAGIC, "ktlb_switch: this CPU is not online", 0, 0);

	if (ktlb_load_relaxed(&self->lazy))
		ktlb_store_relaxed(&self->lazy, (uint64_t)0);
	ktlb_store_relaxed(&self->loaded, KTLB_SWITCHING);
	if (ktlb_load_relaxed(&next->cpus.word[self->number / 64]) >> self->number % 64 & 1) {
		ktlb_fence_full(); /* [B20] */
	} else {
		ktlb_mask_add(next, self->number);
		ktlb_fence_after_rmw(); /* [B20] */
	}

	/* [B24] acquire, partner: the release of a flusher. Without it: walks from before the change. */
	generation = ktlb_load_acquire(&next->generation);
	slots = ktlb_arch_slots(ktlb_sys.features);
	for (slot = 0; slot < slots && self->slot[slot].space_id != next->id; slot++)
		;
	keep = slot < slots && self->slot[slot].clean == generation;
	if (ktlb_likely(keep)) {
		ktlb_count(KTLB_COUNT_SWITCH_HIT);
	} else {
		if (slot == slots) {
			ktlb_count(KTLB_COUNT_ID_NEW);
			slot = self->next_victim;
			self->next_victim = slot + 1 == slots ? 0 : slot + 1;
			self->slot[slot].space_id = next->id;
		}
		ktlb_count(KTLB_COUNT_SWITCH_FLUSH);
		self->slot[slot].clean = generation;
	}
	ktlb_arch_load_root(next->root, slot, keep, ktlb_sys.features);
	self->loaded_slot = slot;
	/* [B23] release: who sees the space sees the root register loaded; partner: the flusher. */
	ktlb_store_release(&self->loaded, next);

	if (!KTLB_CFG_OPT_KEEP_MASK_BIT && last)
		ktlb_mask_remove(last, self->number);
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK && !last)
		ktlb_mask_remove(&ktlb_kernel_space, self->number);
}

/*
 * The space stayed loaded; requests have passed this CPU over meanwhile. [B21] Without the fence the
 * generation is read before `lazy` is seen to be 0.
 */
static void return_from_lazy(struct ktlb_cpu *self, struct ktlb_space *next)
{
	struct ktlb_slot *slot = &self->slot[self->loaded_slot];
	uint64_t generation;

	ktlb_store_relaxed(&self->lazy, (uint64_t)0);
	ktlb_fence_full();                                 /* [B21] */
	generation = ktlb_load_acquire(&next->generation); /* [B24] */
	if (slot->clean == generation) {
		ktlb_count(KTLB_COUNT_SWITCH_HIT);
		return;
	}
	ktlb_count(KTLB_COUNT_LAZY_FLUSH);
	slot->clean = generation;
	ktlb_arch_load_root(next->root, self->loaded_slot, 0, ktlb_sys.features);
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
	if (!last || ktlb_load_relaxed(&self->lazy)) {
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
