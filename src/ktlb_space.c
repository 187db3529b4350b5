/* SPDX-License-Identifier: MIT */
/*
 * The life of a space: zero bytes -> init -> (switch, flush) -> destroy -> zero bytes.
 *
 * After a destroy the memory may begin another space: what is left of the old one anywhere goes by an
 * id that the new one does not have.
 */
#include "ktlb_span.h"

void ktlb_space_init(struct ktlb_space *space, uint64_t root)
{
	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_space_init: ktlb_init has not run", 0, 0);
	KTLB_REQUIRE(space->self != space, "ktlb_space_init: the space is in use", 0, 0);
	KTLB_REQUIRE((root & KTLB_ARCH_ROOT_MUST_CLEAR) == 0,
	             "ktlb_space_init: root has bits that ktlb or the architecture needs clear",
	             root, root & ~KTLB_ARCH_ROOT_MUST_CLEAR);
	ktlb_ids_space_init(space);
	space->gathers = 0;
	space->root = root | ktlb_arch_root_attributes(ktlb_sys.features);
	space->self = space;
}

/*
 * No CPU but this one can have the root, other than lazily: whoever ran a thread of the space has left
 * it by a switch or by ktlb_enter_lazy. That is the caller's promise, and checked here at the end:
 * `loaded` of every CPU. A CPU which left by a switch wrote it after the root register, and the
 * caller knows that the thread is gone from something that came later still.
 *
 * What is left is a walk that began before the root went, and lazy CPUs where lazy mode keeps the
 * root: the shootdown ends both, so that the tables may be freed.
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
	KTLB_REQUIRE(ktlb_load_relaxed(&space->gathers) == 0,
	             "ktlb_space_destroy: a gather of the space has not been flushed",
	             space->gathers, 0);
	ktlb_shootdown_dead_space(space);
	ktlb_tell_secondary(space, 0, 0, 0);
	for (cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++) {
		struct ktlb_cpu *other = ktlb_load_dependency(&ktlb_cpus[cpu]);

		KTLB_REQUIRE(!other || ktlb_load_relaxed(&other->loaded) != space,
		             "ktlb_space_destroy: another CPU has the space loaded", cpu, 0);
	}
	ktlb_ids_release(space);
	space->self = 0;
	ktlb_port_irq_restore(irqs);
}
