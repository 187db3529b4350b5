/* SPDX-License-Identifier: MIT */
/*
 * The system and its CPUs: init, CPUs come and go, the counts of all.
 *
 * ktlb_sys is written by ktlb_init, on one CPU, before another one can call anything; afterwards it
 * is constant, but for the generation of ids. A CPU is known from ktlb_cpu_online on; what it counts
 * before goes to ktlb_percpu itself, which is no CPU's state.
 *
 * The life of a CPU. `magic` says where it is; it alone changes that.
 *
 *   state      in ktlb_online  asked for flushes  leaves it by
 *   ABSENT     no              no                 ktlb_cpu_online
 *   STARTING   towards its end towards its end    the end of ktlb_cpu_online, its TLB empty
 *   ONLINE     yes             yes                ktlb_cpu_offline
 *   QUIET      no              what came before   the end of ktlb_cpu_offline, all of that answered
 *
 * It goes in this order: the root, the set of the space, the set of all CPUs, the requests. The other
 * way round a space is destroyed whose root an idle CPU still has. Others may be choosing whom to ask at
 * that moment, or wait for the records of a thread that was moved from here; so the state stays where
 * ktlb_cpus leads, and the CPU brings it along when it comes back. Nothing that counts upwards begins
 * anew: generations, ids of spaces, sequences of requests.
 */
#include "ktlb_priv.h"

KTLB_PERCPU(struct ktlb_cpu, ktlb_percpu) = {.number = 0};

struct ktlb_sys ktlb_sys = {.generation = 1};
struct ktlb_cpu *ktlb_cpus[KTLB_CFG_MAX_CPUS];
struct ktlb_cpuset ktlb_online;

void ktlb_init(const struct ktlb_config *config)
{
	struct ktlb_arch_facts facts = ktlb_arch_facts();
	uint32_t id_limit;

	KTLB_REQUIRE(facts.wrong == 0, facts.wrong, 0, 0);
	KTLB_REQUIRE(config->cpus >= 1 && config->cpus <= KTLB_CFG_MAX_CPUS,
	             "ktlb_init: cpus must be 1 to KTLB_CFG_MAX_CPUS", config->cpus,
	             KTLB_CFG_MAX_CPUS);
	facts.features = ktlb_arch_useful(facts.features & ~config->without);
	id_limit = ktlb_ids_limit(config, &facts);
	KTLB_REQUIRE(config->kernel_root != 0 &&
	                     (config->kernel_root & (KTLB_ARCH_ROOT_MUST_CLEAR |
	                                             ((1u << KTLB_ARCH_PAGE_SHIFT) - 1))) == 0,
	             "ktlb_init: kernel_root must be a table's physical address, aligned to a "
	             "granule",
	             config->kernel_root, 0);
	KTLB_REQUIRE(
		((config->errata | config->without_errata) & ~(uint32_t)KTLB_ERRATUM_ALL) == 0 &&
			(config->without & ~(uint32_t)KTLB_FEATURE_ALL) == 0,
		"ktlb_init: unknown bit in errata or without", config->errata, config->without);

	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++)
		ktlb_store_relaxed(&ktlb_cpus[cpu], (struct ktlb_cpu *)0);
	ktlb_clear_words(ktlb_online.word, KTLB_CPUSET_WORDS);

	ktlb_sys.kernel_root = config->kernel_root;
	ktlb_sys.id_limit = id_limit;
	ktlb_sys.features = facts.features;
	ktlb_sys.full_flush_strides = config->full_flush_strides
	                                      ? config->full_flush_strides
	                                      : ktlb_strides(config->costs,
	                                                     KTLB_ARCH_FULL_FLUSH_STRIDES);
	ktlb_sys.errata = config->errata & ~config->without_errata;
	ktlb_sys.repeat_tlbi = ktlb_sys.errata & KTLB_ERRATUM_REPEAT_TLBI;
	ktlb_sys.cpus = config->cpus;
	ktlb_sys.watchdog = config->watchdog;
	ktlb_ids_init();
}

uint32_t ktlb_features(void)
{
	return ktlb_sys.features;
}

uint32_t ktlb_full_flush_strides(void)
{
	return ktlb_load_relaxed(&ktlb_sys.full_flush_strides);
}

uint32_t ktlb_id_limit(void)
{
	return ktlb_sys.id_limit;
}

static int is_zero(const struct ktlb_cpu *state)
{
	const uint64_t *word = (const void *)state;
	uint64_t any = 0;

	for (uint64_t i = 0; i < sizeof(*state) / sizeof(*word); i++)
		any |= ktlb_load_relaxed(&word[i]);
	return any == 0;
}

/* Is this what the CPU had when it went? */
static int returns(uint32_t cpu, const struct ktlb_cpu *state)
{
	return ktlb_load_dependency(&ktlb_cpus[cpu]) == state && state->magic == KTLB_CPU_ABSENT;
}

/*
 * The TLB is emptied under the final root: what the firmware or the start-up tables have left, global
 * entries included, must not be met by a space.
 */
void ktlb_cpu_online(uint32_t cpu, struct ktlb_cpu *state)
{
	struct ktlb_arch_facts facts = ktlb_arch_facts();
	int first;

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_cpu_online: ktlb_init has not run", 0, 0);
	KTLB_REQUIRE(cpu < KTLB_CFG_MAX_CPUS,
	             "ktlb_cpu_online: CPU number is not below KTLB_CFG_MAX_CPUS", cpu,
	             KTLB_CFG_MAX_CPUS);
	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_cpu_online: interrupts must be off", 0, 0);
	KTLB_REQUIRE((uintptr_t)state % KTLB_CFG_CACHE_LINE == 0,
	             "ktlb_cpu_online: the state of a CPU must be aligned to a cache line",
	             (uintptr_t)state, KTLB_CFG_CACHE_LINE);
	KTLB_REQUIRE(state != &ktlb_percpu,
	             "ktlb_cpu_online: the original of ktlb_percpu is nobody's state", cpu, 0);
	first = !returns(cpu, state);
	KTLB_REQUIRE(!first || is_zero(state),
	             "ktlb_cpu_online: the state of a CPU must be zero bytes", cpu, 0);
	KTLB_REQUIRE(facts.wrong == 0, facts.wrong, 0, 0);
	KTLB_REQUIRE(1u << facts.id_bits >= ktlb_sys.id_limit,
	             "ktlb_cpu_online: this CPU has fewer id bits than ktlb_config.id_limit needs",
	             facts.id_bits, ktlb_sys.id_limit);
	KTLB_REQUIRE((ktlb_sys.features & ~facts.features) == 0,
	             "ktlb_cpu_online: this CPU lacks TLB features that the boot CPU has",
	             facts.features, ktlb_sys.features);

	if (KTLB_CFG_PERCPU == KTLB_OWN)
		ktlb_arch_set_percpu(state, (uintptr_t)state - (uintptr_t)&ktlb_percpu);
	state->number = cpu;
	state->magic = KTLB_CPU_STARTING;
	KTLB_REQUIRE(ktlb_cpu_self() == state,
	             "ktlb_cpu_online: ktlb_port_this_cpu() does not answer this CPU's state",
	             (uintptr_t)ktlb_cpu_self(), (uintptr_t)state);
	KTLB_REQUIRE(ktlb_cpu_id() == cpu,
	             "ktlb_cpu_online: ktlb_cpu_id() does not answer this CPU's number",
	             ktlb_cpu_id(), cpu);

	ktlb_ids_cpu_online(state, first);
	state->magic = KTLB_CPU_MAGIC;
	ktlb_poll(); /* what was asked since, should its interrupt have been lost */
}

/* Both end with the same: the TLB need not be emptied, for the way back does that. */
static struct ktlb_space *go_offline(struct ktlb_cpu *self)
{
	struct ktlb_space *space = ktlb_leave_space(self);

	self->magic = KTLB_CPU_QUIET;
	ktlb_ids_cpu_offline(self);
	self->magic = KTLB_CPU_ABSENT;
	return space;
}

void ktlb_cpu_offline(void)
{
	struct ktlb_cpu *self = ktlb_cpu_self();

	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_cpu_offline: interrupts must be off", 0, 0);
	KTLB_REQUIRE(self->magic == KTLB_CPU_MAGIC, "ktlb_cpu_offline: this CPU is not online", 0,
	             0);
	go_offline(self);
}

void ktlb_cpu_suspend(struct ktlb_suspended *to)
{
	struct ktlb_cpu *self = ktlb_cpu_self();

	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_cpu_suspend: interrupts must be off", 0, 0);
	KTLB_REQUIRE(self->magic == KTLB_CPU_MAGIC, "ktlb_cpu_suspend: this CPU is not online", 0,
	             0);
	to->state = self;
	to->cpu = self->number;
	to->space = go_offline(self);
}

void ktlb_cpu_resume(const struct ktlb_suspended *from)
{
	ktlb_cpu_online(from->cpu, from->state);
	if (from->space)
		ktlb_switch(from->space);
}

static void add_counts(struct ktlb_stats *sum, const struct ktlb_cpu *cpu)
{
	for (uint32_t i = 0; i < KTLB_COUNTERS; i++)
		sum->count[i] += ktlb_load_relaxed(&cpu->count[i]);
}

void ktlb_stats_add(struct ktlb_stats *sum)
{
	add_counts(sum, &ktlb_percpu);
	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++) {
		struct ktlb_cpu *c = ktlb_load_dependency(&ktlb_cpus[cpu]);

		if (c)
			add_counts(sum, c);
	}
}

const char *ktlb_counter_name(enum ktlb_counter counter)
{
	static const char *const name[KTLB_COUNTERS] = {
		[KTLB_COUNT_SWITCH_SAME] = "switch_same",
		[KTLB_COUNT_SWITCH_HIT] = "switch_hit",
		[KTLB_COUNT_SWITCH_SLOW] = "switch_slow",
		[KTLB_COUNT_ENTER_LAZY] = "enter_lazy",
		[KTLB_COUNT_ID_NEW] = "id_new",
		[KTLB_COUNT_ROLLOVER] = "rollover",
		[KTLB_COUNT_FLUSH_OWED] = "flush_owed",
		[KTLB_COUNT_FLUSH_PAGE] = "flush_page",
		[KTLB_COUNT_FLUSH_RANGE] = "flush_range",
		[KTLB_COUNT_FLUSH_SPACE] = "flush_space",
		[KTLB_COUNT_FLUSH_KERNEL] = "flush_kernel",
		[KTLB_COUNT_FLUSH_LOCAL] = "flush_local",
		[KTLB_COUNT_FLUSH_WIDENED] = "flush_widened",
		[KTLB_COUNT_FLUSH_POST] = "flush_post",
		[KTLB_COUNT_FLUSH_GATHER] = "flush_gather",
		[KTLB_COUNT_GATHER_MET] = "gather_met",
		[KTLB_COUNT_PLAN_LEAVES] = "plan_leaves",
		[KTLB_COUNT_PLAN_RANGES] = "plan_ranges",
		[KTLB_COUNT_PLAN_COVERED] = "plan_covered",
		[KTLB_COUNT_FIX_SPURIOUS] = "fix_spurious",
		[KTLB_COUNT_SKIP_NEVER_RAN] = "skip_never_ran",
		[KTLB_COUNT_SKIP_EMPTY] = "skip_empty",
		[KTLB_COUNT_REQUEST] = "request",
		[KTLB_COUNT_INTERRUPT] = "interrupt",
		[KTLB_COUNT_SKIP_LAZY] = "skip_lazy",
		[KTLB_COUNT_SKIP_OTHER] = "skip_other",
		[KTLB_COUNT_HANDLED] = "handled",
		[KTLB_COUNT_HANDLED_RANGE] = "handled_range",
		[KTLB_COUNT_HANDLED_FULL] = "handled_full",
		[KTLB_COUNT_HANDLED_LAZY] = "handled_lazy",
		[KTLB_COUNT_HANDLED_SATISFIED] = "handled_satisfied",
		[KTLB_COUNT_HANDLED_CAUGHT_UP] = "handled_caught_up",
		[KTLB_COUNT_HANDLED_OTHER] = "handled_other",
		[KTLB_COUNT_GENERATION_READ] = "generation_read",
		[KTLB_COUNT_SWITCH_FLUSH] = "switch_flush",
		[KTLB_COUNT_LAZY_FLUSH] = "lazy_flush",
		[KTLB_COUNT_MASK_RMW] = "mask_rmw",
		[KTLB_COUNT_SKIP_OFFLINE] = "skip_offline",
		[KTLB_COUNT_INTERRUPT_AGAIN] = "interrupt_again",
	};

	return counter < KTLB_COUNTERS ? name[counter] : "unknown";
}
