/* SPDX-License-Identifier: MIT */
/*
 * The life of a space: zero bytes -> init -> (switch, flush) -> destroy -> zero bytes.
 *
 * `id` is 0 until the space first runs, so that a space which never runs costs no number, and a
 * flush of it nothing. After a destroy it is 0 again, whatever was in the memory before.
 */
#include "ktlb_priv.h"

void ktlb_space_init(struct ktlb_space *space, uint64_t root)
{
	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_space_init: ktlb_init has not run", 0, 0);
	KTLB_REQUIRE(space->self != space, "ktlb_space_init: the space is in use", 0, 0);
	KTLB_REQUIRE((root & KTLB_ARCH_ROOT_MUST_CLEAR) == 0,
	             "ktlb_space_init: root has bits that ktlb or the architecture needs clear",
	             root, root & ~KTLB_ARCH_ROOT_MUST_CLEAR);
	space->id = 0;
	space->root = root;
	space->self = space;
}

/*
 * No CPU but this one can have the root: whoever ran a thread of the space has left it by a switch
 * or by ktlb_enter_lazy, both of which took the root off. That is the caller's promise, and checked
 * here: `loaded` of every CPU. A CPU which left by a switch wrote it after the root register, and
 * the caller knows that the thread is gone from something that came later still.
 *
 * What is left is a walk that began before the root went, on whichever CPU: the invalidation of the
 * id ends it, so that the tables may be freed. The id itself is not handed out again before
 * a rollover.
 */
void ktlb_space_destroy(struct ktlb_space *space)
{
	uint64_t irqs;
	uint32_t cpu;

	KTLB_REQUIRE(space->self == space, "ktlb_space_destroy: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);

	irqs = ktlb_port_irq_save();
	if (ktlb_load_relaxed(&ktlb_cpu_self()->loaded) == space)
		ktlb_enter_lazy();
	for (cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++) {
		struct ktlb_cpu *other = ktlb_load_dependency(&ktlb_cpus[cpu]);

		KTLB_REQUIRE(!other || ktlb_load_relaxed(&other->loaded) != space,
		             "ktlb_space_destroy: another CPU has the space loaded", cpu, 0);
	}
	ktlb_shootdown_space(space);
	ktlb_ids_release(space);
	space->self = 0;
	ktlb_port_irq_restore(irqs);
}
