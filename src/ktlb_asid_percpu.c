/* SPDX-License-Identifier: MIT */
/*
 * Ids per CPU: the identity of spaces, the sets of CPUs, a CPU comes online. The protocol is told in
 * ktlb_asid_percpu.h.
 */
#include "ktlb_asid_percpu.h"

struct ktlb_space ktlb_kernel_space;

static uint64_t last_space_id;

uint32_t ktlb_ids_limit(const struct ktlb_config *config, const struct ktlb_arch_facts *facts)
{
	KTLB_REQUIRE(config->id_limit == 0, "ktlb_init: id_limit must be 0 where ids are per CPU",
	             config->id_limit, 0);
	return ktlb_arch_ids(facts->features);
}

/* `last_space_id` goes on, so that spaces from before a second ktlb_init are nobody's. */
void ktlb_ids_init(void)
{
	ktlb_clear_words(ktlb_kernel_space.cpus.word, KTLB_CPUSET_WORDS);
}

void ktlb_ids_cpu_online(struct ktlb_cpu *self, int first)
{
	uint64_t bit = (uint64_t)1 << self->number % 64;
	uint32_t online = 0;
	uint32_t cpu, slot;

	KTLB_REQUIRE((ktlb_or_relaxed(&ktlb_online.word[self->number / 64], bit) & bit) == 0,
	             "ktlb_cpu_online: this CPU number is online already", self->number, 0);
	KTLB_REQUIRE(!first || !ktlb_load_relaxed(&ktlb_cpus[self->number]),
	             "ktlb_cpu_online: a CPU that comes back must bring the state that it had",
	             self->number, 0);
	for (cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++)
		online += (uint32_t)(ktlb_load_relaxed(&ktlb_online.word[cpu / 64]) >> cpu % 64 &
		                     1);
	KTLB_REQUIRE(online <= ktlb_sys.cpus, "ktlb_cpu_online: more CPUs than ktlb_config.cpus",
	             online, ktlb_sys.cpus);
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK)
		ktlb_mask_add(&ktlb_kernel_space, self->number);
	for (slot = 0; slot < KTLB_SLOTS; slot++)
		self->slot[slot].tag = ktlb_arch_slot_tag(slot, ktlb_sys.features);
	ktlb_requests_open(self);
	/* [B12] release, partner: ktlb_load_dependency of flushers, who else read a state that is not
	 * filled in. */
	ktlb_store_release(&ktlb_cpus[self->number], self);

	/*
	 * [B22] Only then the kernel's root is loaded and the TLB emptied: a flusher of the kernel's half
	 * that does not see this CPU has changed its entries before, so that walks after this see them;
	 * and one that does will interrupt. The other way round an entry that was cached in between
	 * would stay, or a table be walked that has been freed.
	 */
	ktlb_fence_full();
	ktlb_arch_cpu_online(ktlb_sys.kernel_root, ktlb_sys.features);
	ktlb_arch_flush_everything(ktlb_sys.features);
}

/*
 * The slots are emptied now and not when the CPU comes back: a switch on a CPU that is not online then
 * finds none, and takes the slow path, which looks.
 *
 * The bit stays in the sets of spaces that ran here before the last one: nobody but this CPU may clear
 * it. Who flushes one of them passes the CPU over as one that runs another space, or finds its queue
 * closed.
 */
void ktlb_ids_cpu_offline(struct ktlb_cpu *self)
{
	for (uint32_t slot = 0; slot < KTLB_SLOTS; slot++) {
		self->slot[slot].space_id = 0;
		self->slot[slot].clean = KTLB_NEVER_CLEAN;
	}
	if (!KTLB_CFG_OPT_KERNEL_NO_MASK)
		ktlb_mask_remove(&ktlb_kernel_space, self->number);
	ktlb_and_release(&ktlb_online.word[self->number / 64], ~((uint64_t)1 << self->number % 64));
	ktlb_requests_close(self);
}

void ktlb_ids_space_init(struct ktlb_space *space)
{
	space->id = ktlb_add_relaxed(&last_space_id, (uint64_t)1) + 1;
	space->user_root = 0;
	space->generation = KTLB_NEVER_CLEAN + 1;
	ktlb_clear_words(space->cpus.word, KTLB_CPUSET_WORDS);
}

/* Every CPU has answered, and left the set or the space. With an empty set no switch takes the space
 * for one that is initialised. */
void ktlb_ids_release(struct ktlb_space *space)
{
	ktlb_clear_words(space->cpus.word, KTLB_CPUSET_WORDS);
}

void ktlb_mask_add(struct ktlb_space *space, uint32_t cpu)
{
	ktlb_count(KTLB_COUNT_MASK_RMW);
	ktlb_or_relaxed(&space->cpus.word[ktlb_cpuset_word(cpu)], (uint64_t)1 << cpu % 64);
}

void ktlb_mask_remove(struct ktlb_space *space, uint32_t cpu)
{
	ktlb_count(KTLB_COUNT_MASK_RMW);
	/* [B31] release, partner: the fence of a flusher. Without it: the CPU is seen to be out of the
	 * set while its old root is still walked. */
	ktlb_and_release(&space->cpus.word[ktlb_cpuset_word(cpu)], ~((uint64_t)1 << cpu % 64));
}

uint64_t ktlb_space_id(const struct ktlb_space *space)
{
	return space->id;
}

/* Of this CPU: I2, I4, I5. What the others do changes while one looks. */
const char *ktlb_audit(void)
{
	struct ktlb_cpu *self = ktlb_cpu_self();
	struct ktlb_space *loaded;
	const struct ktlb_slot *slot;

	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_audit: interrupts must be off", 0, 0);
	loaded = ktlb_load_relaxed(&self->loaded);
	if (!loaded)
		return ktlb_arch_root_is(ktlb_sys.kernel_root, 0)
		               ? 0
		               : "ktlb_audit: the root register does not hold the kernel's root";
	slot = self->loaded_slot;
	if (loaded == KTLB_SWITCHING || loaded->self != loaded)
		return "ktlb_audit: what is loaded is no space";
	if (!ktlb_arch_root_is(loaded->root, slot->tag))
		return "ktlb_audit: the root register does not hold the loaded space's root and id";
	if (slot->space_id != loaded->id)
		return "ktlb_audit: the slot in use belongs to another space";
	if (slot->clean > ktlb_load_relaxed(&loaded->generation))
		return "ktlb_audit: a slot is clean up to a generation that has not been";
	if (!ktlb_mask_has(loaded, self->number))
		return "ktlb_audit: a CPU is not in the set of the space that it has loaded";
	return 0;
}
