/* SPDX-License-Identifier: MIT */
/*
 * Ids per system: a number means the same space on every CPU, because invalidation is broadcast.
 *
 * There are fewer numbers than spaces, so an id is a number and a generation. When the numbers are
 * used up a rollover begins a new generation, in which every space needs a new id, and may get any
 * number. Nobody is interrupted for it. Two things make that sound:
 *
 *   - what is running goes on: a rollover keeps the number of each CPU's space (`reserved`) out of
 *     the new generation's pool, and the space gets the same number again, with the new label;
 *   - before a CPU runs anything else, it empties its own TLB: the rollover leaves that debt
 *     (`owes`), and sends the CPU to the slow path, where debts are paid, by a 0 in its `active`.
 *
 * Invariants
 *   A1  In one generation a number belongs to at most one space (`used`).
 *   A2  A CPU whose root register holds space X's root, with number x, has one of: active = X's id;
 *       active = 0 and reserved = the id that X had when a rollover took it away; loaded = X, which
 *       it is leaving: `active` is another's already, the register not yet. A CPU that has none has
 *       active = KTLB_ID_LAZY, or 0.
 *   A3  The number of every `reserved` and `leaving` is in `used`, `reserved` in every generation
 *       until its CPU switches.
 *   A4  After a rollover a CPU empties its TLB before it runs a space which it was not running.
 *   A5  A number that is not in use may be in any TLB. A4 removes it, a destroy does not.
 *   A6  There are at least as many numbers (id 0 apart) as CPUs + kept ones + 1, so that a rollover
 *       leaves a free one, unless CPUs are between two spaces: that ends soon, and without our lock.
 *
 *   A7  A number that is pinned by a space, or reserved, is in `used` in every generation; the space
 *       has it in all of them.
 *
 * Who writes what
 *   space.id, pins, keeps, generation, used, pinned, set_aside, cursor, owes, reserved, leaving:
 *                whoever holds `lock`
 *   cpu.active   its CPU without the lock, by compare-and-exchange from a value that is not 0;
 *                its CPU with the lock; a rollover, with the lock, by exchange
 *
 * The fast path is in ktlb_switch_global.c: the id of the space is of the current generation, and this
 * CPU's `active` is exchanged for it, unless a rollover has made that 0. Both are relaxed, and need
 * no more: the exchange of the rollover and the compare-and-exchange act on one location, so that
 * one is first. If it is the rollover's, the CPU finds 0 and takes the lock. If it is the CPU's,
 * the rollover finds the new id and reserves it, although its label is old. So the generation may
 * be read late, too.
 *
 * Why compare-and-exchange: a plain exchange would put an old id over the 0, and a second rollover,
 * before this CPU gets the lock, would reserve it and forget what the CPU really runs:
 *
 *     CPU 0, runs X                          others
 *     reads Y's id (generation 1)
 *                                            rollover to 2: active = 0, reserved = X's id
 *     exchange: active = Y's id, finds 0
 *     waits for the lock                     rollover to 3: reserved = Y's id; X's number is free
 *                                            Z gets it and runs
 *     X's root is still loaded here: one number, two spaces
 *
 * Why `leaving`: a walker may use X's root until the register is written, which is after `active`
 * has become another's. If X's number went to somebody else in that window, and X got a new one, a
 * flush of X would name the new one alone, and a table of X could be freed under that walker:
 *
 *     CPU 0, runs X                          others
 *     active: X's id -> Y's id
 *                                            rollover: reserved = Y's id
 *                                            X runs elsewhere, gets a new number
 *     X's root is still loaded               unlink a table of X, flush the new number, free it
 *     walks from it: into the freed table
 *     root register := Y's
 *     loaded := Y
 *
 * So a rollover keeps the number of what `loaded` says, too. That it may say X a moment too long
 * costs a number for one generation.
 */
#include "ktlb_asid_global.h"

#define ID_WORDS (((uint64_t)1 << KTLB_ARCH_ID_BITS) / 64)

static struct {
	uint32_t lock;       /* 1 = held; interrupts are off then */
	uint64_t generation; /* the lock holder's copy of ktlb_sys.generation */
	uint32_t cursor;     /* where to look for a free number */
	uint32_t kept;       /* how many numbers are in `pinned` or `set_aside` */
	struct ktlb_cpuset owes;
	uint64_t used[ID_WORDS];
	uint64_t pinned[ID_WORDS];    /* a space keeps it */
	uint64_t set_aside[ID_WORDS]; /* by ktlb_id_reserve */
} ids __attribute__((aligned(KTLB_CFG_CACHE_LINE)));

/*
 * [B10] acquire, partner [B11] release: who gets the lock sees all that its former holders wrote.
 * Without: two CPUs hand out one number.
 *
 * Not fair, for fairness is what a machine with more virtual CPUs than real ones cannot afford: the
 * next in turn is then often one that is not running (docs/DESIGN.md has figures).
 */
static void lock_ids(void)
{
	while (ktlb_exchange_acquire(&ids.lock, 1u)) { /* [B10] */
		while (ktlb_load_relaxed(&ids.lock)) {
			ktlb_relax();
			ktlb_poll();
		}
	}
}

static void unlock_ids(void)
{
	ktlb_store_release(&ids.lock, 0u); /* [B11] */
}

static int has(const uint64_t *numbers, uint64_t number)
{
	return (int)(numbers[number / 64] >> number % 64 & 1);
}

static void add(uint64_t *numbers, uint64_t number)
{
	numbers[number / 64] |= (uint64_t)1 << number % 64;
}

static void take_out(uint64_t *numbers, uint64_t number)
{
	numbers[number / 64] &= ~((uint64_t)1 << number % 64);
}

uint32_t ktlb_ids_limit(const struct ktlb_config *config, const struct ktlb_arch_facts *facts)
{
	uint32_t id_limit = config->id_limit ? config->id_limit : 1u << facts->id_bits;

	KTLB_REQUIRE(id_limit <= 1u << facts->id_bits,
	             "ktlb_init: id_limit is larger than what the hardware has", id_limit,
	             1u << facts->id_bits);
	KTLB_REQUIRE(id_limit >= config->cpus + 2,
	             "ktlb_init: id_limit is too small: cpus + 2 ids are needed", id_limit,
	             config->cpus + 2);
	return id_limit;
}

void ktlb_ids_init(void)
{
	ktlb_store_relaxed(&ids.lock, 0u);
	ids.generation = KTLB_GENERATION_STEP;
	ids.cursor = 1;
	ktlb_clear_words(ids.owes.word, KTLB_CPUSET_WORDS);
	ids.kept = 0;
	ktlb_clear_words(ids.used, ID_WORDS);
	ktlb_clear_words(ids.pinned, ID_WORDS);
	ktlb_clear_words(ids.set_aside, ID_WORDS);
	ktlb_store_relaxed(&ktlb_sys.generation, ids.generation);
}

void ktlb_ids_cpu_online(struct ktlb_cpu *self, int first)
{
	uint32_t online = 0;
	uint32_t cpu;

	ktlb_arch_cpu_online(ktlb_sys.kernel_root, ktlb_sys.features);
	lock_ids();
	KTLB_REQUIRE(!ktlb_cpuset_has(&ktlb_online, self->number),
	             "ktlb_cpu_online: this CPU number is online already", self->number, 0);
	KTLB_REQUIRE(!first || !ktlb_cpus[self->number],
	             "ktlb_cpu_online: a CPU that comes back must bring the state that it had",
	             self->number, 0);
	ktlb_cpuset_for_each(cpu, &ktlb_online) online++;
	KTLB_REQUIRE(online < ktlb_sys.cpus, "ktlb_cpu_online: more CPUs than ktlb_config.cpus",
	             online + 1, ktlb_sys.cpus);
	ktlb_store_relaxed(&self->active, KTLB_ID_LAZY);
	self->reserved = 0;
	/* [B12] release, partner: ktlb_load_dependency of those who do not hold the lock. Without it
	 * they read a state that is not filled in. */
	ktlb_store_release(&ktlb_cpus[self->number], self);
	ktlb_cpuset_add(&ktlb_online, self->number);
	unlock_ids();
}

/*
 * Under the lock, so that a rollover either keeps a number for this CPU, which costs nothing, or does not
 * look at it any more. 0 in `active` sends a switch on a CPU that is not online to the slow path, which
 * looks. A debt goes, too: the CPU empties its TLB when it comes back.
 */
void ktlb_ids_cpu_offline(struct ktlb_cpu *self)
{
	lock_ids();
	ktlb_cpuset_remove(&ktlb_online, self->number);
	ktlb_cpuset_remove(&ids.owes, self->number);
	ktlb_store_relaxed(&self->active, (uint64_t)0);
	self->reserved = 0;
	self->leaving = 0;
	unlock_ids();
}

/*
 * The id of the space that a CPU is leaving; 0 if none. `loaded` changes after the root register [B13].
 * What it points to is alive: a destroy sees to it that nobody has it loaded, and then takes the lock.
 */
static uint64_t leaving_id(const struct ktlb_cpu *cpu)
{
	const struct ktlb_space *loaded = ktlb_load_dependency(&cpu->loaded);
	uint64_t id = loaded ? ktlb_load_relaxed(&loaded->id) : 0;

	return KTLB_ID_NUMBER(id) == KTLB_ID_NUMBER(cpu->reserved) ? 0 : id;
}

/* Begins the next generation. */
static void roll_over(void)
{
	uint32_t cpu;

	ktlb_count(KTLB_COUNT_ROLLOVER);
	ids.generation += KTLB_GENERATION_STEP;
	ktlb_store_relaxed(&ktlb_sys.generation, ids.generation);

	for (uint32_t i = 0; i < (ktlb_sys.id_limit + 63) / 64; i++)
		ids.used[i] = ids.pinned[i] | ids.set_aside[i];
	ktlb_cpuset_for_each(cpu, &ktlb_online)
	{
		struct ktlb_cpu *c = ktlb_cpus[cpu];
		/*
		 * [B14] acquire, partner: [B1], before a switch or lazy mode changes `active`.
		 * Without it: `loaded` is read as it was before the space that this CPU is leaving,
		 * whose number is then given away now, and kept in the next generation.
		 */
		uint64_t id = ktlb_exchange_acquire(&c->active, (uint64_t)0); /* [B14] */

		/*
		 * 0: this CPU has not switched since the last rollover, and still runs what it
		 * ran then. Lazy: it runs none.
		 */
		if (id != 0)
			c->reserved = id == KTLB_ID_LAZY ? 0 : id;
		c->leaving = leaving_id(c);
		if (c->reserved)
			add(ids.used, KTLB_ID_NUMBER(c->reserved));
		if (c->leaving)
			add(ids.used, KTLB_ID_NUMBER(c->leaving));
	}
	ktlb_cpuset_copy(&ids.owes, &ktlb_online);
	ids.cursor = 1;
}

/*
 * Does a CPU keep this id since a rollover? Then its number goes with it to the new generation. All
 * the CPUs that keep it must learn the new label. After the next rollover, one that did not would
 * hold a number that nobody knows to be the space's: the space gets another one, which flushes then
 * name, while that CPU still runs under the first.
 */
static int relabel_reserved(uint64_t id, uint64_t new_id)
{
	int found = 0;
	uint32_t cpu;

	ktlb_cpuset_for_each(cpu, &ktlb_online)
	{
		struct ktlb_cpu *c = ktlb_cpus[cpu];

		if (c->reserved == id) {
			c->reserved = new_id;
			found = 1;
		}
		if (c->leaving == id) {
			c->leaving = new_id;
			found = 1;
		}
	}
	return found;
}

/* A free number from the cursor up, or 0. Ends: every step is a word. */
static uint32_t find_free(void)
{
	for (uint32_t i = ids.cursor / 64; i < (ktlb_sys.id_limit + 63) / 64; i++) {
		uint64_t taken = ids.used[i];

		if (i == 0)
			taken |= 1; /* id 0 is nobody's */
		if (i == ids.cursor / 64)
			taken |= ((uint64_t)1 << ids.cursor % 64) - 1;
		if (~taken) {
			uint32_t number = i * 64 + (uint32_t)__builtin_ctzll(~taken);

			return number < ktlb_sys.id_limit ? number : 0;
		}
	}
	return 0;
}

/* An id of the current generation for a space that has none, or an old one. */
static uint64_t new_id(const struct ktlb_space *space, uint64_t old)
{
	uint64_t number;

	if (old != 0) {
		uint64_t same_number = ids.generation | KTLB_ID_NUMBER(old);

		if (relabel_reserved(old, same_number) || space->keeps)
			return same_number;
		if (!has(ids.used, KTLB_ID_NUMBER(old))) {
			add(ids.used, KTLB_ID_NUMBER(old));
			return same_number;
		}
	}
	/*
	 * A second rollover in a row is for CPUs that are between two spaces (A6): they have interrupts
	 * off and do not wait for us, so each is somewhere else soon.
	 */
	for (number = find_free(); number == 0; number = find_free()) {
		ktlb_relax();
		roll_over();
	}
	add(ids.used, number);
	ids.cursor = (uint32_t)number + 1;
	return ids.generation | number;
}

/*
 * [B7] Where CPUs share entries one that empties its own is not enough; but after one that empties those
 * of all, only what is running has put anything back, under numbers that are kept for it: no CPU owes
 * any more.
 */
static void pay_debt(const struct ktlb_cpu *self)
{
	ktlb_count(KTLB_COUNT_FLUSH_OWED);
	if (ktlb_arch_shares_entries(ktlb_sys.features)) {
		ktlb_clear_words(ids.owes.word, KTLB_CPUSET_WORDS);
		ktlb_arch_flush_all_cpus(ktlb_sys.repeat_tlbi != 0); /* [B7] */
	} else {
		ktlb_cpuset_remove(&ids.owes, self->number);
		ktlb_arch_flush_own(); /* [B7] */
	}
}

/*
 * The id is published before the debt is paid and the root is loaded, with [B3] in between; the
 * caller loads the root. `active` is stored under the lock: no rollover comes in between.
 */
uint64_t ktlb_ids_enter_slow(struct ktlb_cpu *self, struct ktlb_space *next)
{
	uint64_t id;

	KTLB_REQUIRE(next->self == next, "ktlb_switch: the space is not initialised",
	             (uintptr_t)next->self, (uintptr_t)next);
	KTLB_REQUIRE(self && self->magic == KTLB_CPU_MAGIC, "ktlb_switch: this CPU is not online",
	             0, 0);
	ktlb_count(KTLB_COUNT_SWITCH_SLOW);

	lock_ids();
	id = ktlb_load_relaxed(&next->id);
	if (KTLB_ID_GENERATION(id) != ids.generation) {
		ktlb_count(KTLB_COUNT_ID_NEW);
		id = new_id(next, id);
		ktlb_store_relaxed(&next->id, id);
	}
	ktlb_arch_id_barrier(); /* [B3] */

	/* O1: here, and nowhere else in a switch, the number of the CPU is needed. */
	if (ktlb_cpuset_has(&ids.owes, self->number))
		pay_debt(self);
	ktlb_store_relaxed(&self->active, id);
	unlock_ids();
	return id;
}

void ktlb_ids_space_init(struct ktlb_space *space)
{
	space->id = 0;
	space->pins = 0;
	space->keeps = 0;
	space->owner = 0;
}

/* The space no longer keeps its number, which stays in `used` for this generation. */
static void let_go(struct ktlb_space *space)
{
	uint64_t number = KTLB_ID_NUMBER(ktlb_load_relaxed(&space->id));

	space->keeps = 0;
	take_out(ids.pinned, number);
	if (!has(ids.set_aside, number))
		ids.kept--;
}

/*
 * The number stays in `used`: it may be in any TLB until a rollover (A5). One that was chosen may be
 * chosen again at once: the destroy has invalidated it, and no CPU runs under it, so that a copy
 * which one has kept since a rollover means nothing any more.
 */
void ktlb_ids_release(struct ktlb_space *space)
{
	uint64_t id;
	uint32_t cpu;

	lock_ids();
	KTLB_REQUIRE(space->pins == 0, "ktlb_space_destroy: the space is pinned", space->pins, 0);
	id = ktlb_load_relaxed(&space->id);
	if (space->keeps) {
		let_go(space);
		ktlb_cpuset_for_each(cpu, &ktlb_online)
		{
			struct ktlb_cpu *c = ktlb_cpus[cpu];

			if (KTLB_ID_NUMBER(c->reserved) == KTLB_ID_NUMBER(id))
				c->reserved = 0;
		}
	}
	ktlb_store_relaxed(&space->id, (uint64_t)0);
	unlock_ids();
}

/* ---- numbers that are kept --------------------------------------------------------------------*/

/* A6: is there room for one more? */
static int may_keep_another(void)
{
	return ids.kept + ktlb_sys.cpus + 2 < ktlb_sys.id_limit;
}

int ktlb_id_reserve(uint32_t number)
{
	uint64_t irqs;
	int possible;

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_id_reserve: ktlb_init has not run", 0, 0);
	irqs = ktlb_port_irq_save();
	lock_ids();
	/* In the first generation a number that is not used has never been, so it is in no TLB. */
	possible = number != 0 && number < ktlb_sys.id_limit && !has(ids.used, number) &&
	           ids.generation == KTLB_GENERATION_STEP && may_keep_another();
	if (possible) {
		add(ids.used, number);
		add(ids.set_aside, number);
		ids.kept++;
	}
	unlock_ids();
	ktlb_port_irq_restore(irqs);
	return possible;
}

/* The number, or one of the space's own if that is 0, is the space's from now on. False: it cannot be. */
static int keep(struct ktlb_space *space, uint32_t number)
{
	uint64_t id = ktlb_load_relaxed(&space->id);

	if (space->keeps)
		return number == 0 || number == KTLB_ID_NUMBER(id);
	if (number != 0) {
		if (id != 0 || number >= ktlb_sys.id_limit || !has(ids.set_aside, number) ||
		    has(ids.pinned, number))
			return 0;
		id = ids.generation | number;
	} else {
		if (!may_keep_another())
			return 0;
		if (KTLB_ID_GENERATION(id) != ids.generation) {
			ktlb_count(KTLB_COUNT_ID_NEW);
			id = new_id(space, id);
		}
		ids.kept++;
	}
	add(ids.pinned, KTLB_ID_NUMBER(id));
	space->keeps = 1;
	ktlb_store_relaxed(&space->id, id);
	return 1;
}

uint32_t ktlb_ids_pin(struct ktlb_space *space, uint32_t number)
{
	uint32_t pinned = 0;
	uint64_t irqs;

	KTLB_REQUIRE(space->self == space, "ktlb_ids_pin: the space is not initialised",
	             (uintptr_t)space->self, (uintptr_t)space);
	irqs = ktlb_port_irq_save();
	lock_ids();
	if (keep(space, number)) {
		space->pins++;
		pinned = (uint32_t)KTLB_ID_NUMBER(ktlb_load_relaxed(&space->id));
		if (KTLB_ARCH_LOCAL)
			ktlb_store_relaxed(&space->owner, KTLB_OWNED_BY_ALL);
	}
	ktlb_arch_id_barrier(); /* [B3] and [B50], for whoever walks under the number */
	unlock_ids();
	ktlb_port_irq_restore(irqs);
	return pinned;
}

void ktlb_ids_unpin(struct ktlb_space *space)
{
	uint64_t irqs = ktlb_port_irq_save();

	lock_ids();
	KTLB_REQUIRE(space->self == space && space->pins != 0,
	             "ktlb_ids_unpin: the space is not pinned", (uintptr_t)space->self,
	             (uintptr_t)space);
	if (--space->pins == 0 && !has(ids.set_aside, KTLB_ID_NUMBER(space->id)))
		let_go(space);
	unlock_ids();
	ktlb_port_irq_restore(irqs);
}

uint64_t ktlb_space_id(const struct ktlb_space *space)
{
	return ktlb_load_relaxed(&space->id);
}

/* What a CPU runs under, or keeps since a rollover; 0 if neither. */
static uint64_t held_id(uint32_t cpu)
{
	uint64_t id = ktlb_load_relaxed(&ktlb_cpus[cpu]->active);

	if (id == 0)
		id = ktlb_cpus[cpu]->reserved;
	return id == KTLB_ID_LAZY ? 0 : id;
}

static const char *audit_locked(void)
{
	uint32_t cpu, other;

	for (uint32_t i = 0; i < (ktlb_sys.id_limit + 63) / 64; i++)
		if ((ids.pinned[i] | ids.set_aside[i]) & ~ids.used[i])
			return "ktlb_audit: a number that is kept is free for others";
	ktlb_cpuset_for_each(cpu, &ktlb_online)
	{
		uint64_t id = held_id(cpu);

		if (id == 0)
			continue;
		if (KTLB_ID_NUMBER(id) == 0 || KTLB_ID_NUMBER(id) >= ktlb_sys.id_limit)
			return "ktlb_audit: a CPU holds a number that is never handed out";
		if (!has(ids.used, KTLB_ID_NUMBER(id)))
			return "ktlb_audit: a CPU holds a number that is free for others";
		for (other = 0; other < cpu; other++) {
			uint64_t others = ktlb_cpuset_has(&ktlb_online, other) ? held_id(other) : 0;

			if (KTLB_ID_NUMBER(others) == KTLB_ID_NUMBER(id) && others != id)
				return "ktlb_audit: two CPUs hold one number under different ids";
		}
	}
	return 0;
}

const char *ktlb_audit(void)
{
	const char *wrong;

	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_audit: interrupts must be off", 0, 0);
	lock_ids();
	wrong = audit_locked();
	unlock_ids();
	return wrong;
}
