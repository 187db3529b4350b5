/* SPDX-License-Identifier: MIT */
/*
 * The allocator of ids: 2 to 16 CPUs, 8 to 16 bits, and limits down to the smallest legal one.
 *
 * The fake machine's TLBs remember which root was loaded under which id; a root that is loaded under
 * an id with another one's entries counts as an alias, of which there may never be one. Hooks put
 * rollovers of other CPUs between the steps of one; what store buffers and late walks add to that is
 * the checker's.
 */
#include "unit.h"

#include <pthread.h>

#include "ktlb_asid_global.h"

#define SPACES 400

static struct ktlb_space space[SPACES];

static void start(uint32_t cpus, uint32_t bits, uint32_t limit)
{
	struct ktlb_config config = {.cpus = cpus, .id_limit = limit};

	if (cpus > KTLB_CFG_MAX_CPUS)
		skip();
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(bits, 1, 1);
	fake_start(&config, 0, 1);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
}

static uint64_t count(enum ktlb_counter counter)
{
	struct ktlb_stats sum = {{0}};

	ktlb_stats_add(&sum);
	return sum.count[counter];
}

static void switch_on(uint32_t cpu, struct ktlb_space *to)
{
	fake_clear_log();
	fake_run_on(cpu);
	ktlb_switch(to);
}

/* What the CPU's registers say: root and id. */
static uint64_t loaded_root(uint32_t cpu)
{
	return fake_cpu[cpu].ttbr0 & 0xfffffffffffeull; /* without CnP */
}

static uint64_t loaded_id(uint32_t cpu)
{
	return (KTLB_CFG_ARM64_ASID_IN_TTBR1 ? fake_cpu[cpu].ttbr1 : fake_cpu[cpu].ttbr0) >> 48;
}

/* No number of the current generation belongs to two spaces, or is 0, or beyond the limit. */
static void ids_are_unique(uint32_t spaces)
{
	static unsigned char seen[65536];

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < spaces; i++) {
		uint64_t id = ktlb_space_id(&space[i]);

		if (KTLB_ID_GENERATION(id) != ktlb_sys.generation)
			continue;
		assert_true(KTLB_ID_NUMBER(id) > 0 && KTLB_ID_NUMBER(id) < ktlb_id_limit());
		assert_false(seen[KTLB_ID_NUMBER(id)]);
		seen[KTLB_ID_NUMBER(id)] = 1;
	}
	assert_null(ktlb_audit());
	assert_int_equal(fake_aliases, 0);
}

static void an_id_comes_with_the_first_switch(void **unused)
{
	(void)unused;
	start(2, 16, 0);
	assert_int_equal(ktlb_id_limit(), 65536);
	assert_int_equal(ktlb_space_id(&space[0]), 0);
	switch_on(0, &space[0]);
	assert_int_equal(KTLB_ID_NUMBER(ktlb_space_id(&space[0])), 1); /* 0 is nobody's */
	assert_int_equal(loaded_root(0), 1 << 20);
	assert_int_equal(loaded_id(0), 1);
	/* and stays, on every CPU */
	switch_on(1, &space[1]);
	switch_on(1, &space[0]);
	assert_int_equal(loaded_id(1), 1);
	assert_int_equal(count(KTLB_COUNT_ID_NEW), KTLB_CFG_COUNT ? 2 : 0);
	ids_are_unique(SPACES);
}

static void every_number_is_used_before_a_rollover(void **unused)
{
	static const uint32_t limit[] = {4, 5, 63, 64, 65, 66, 127, 128, 129, 255, 256};

	(void)unused;
	for (unsigned i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
		unsigned char used[256] = {0};

		start(2, 8, limit[i]);
		for (uint32_t s = 0; s < limit[i] - 1; s++) {
			switch_on(0, &space[s]);
			used[KTLB_ID_NUMBER(ktlb_space_id(&space[s]))] = 1;
		}
		for (uint32_t number = 0; number < limit[i]; number++)
			assert_int_equal(used[number], number != 0);
		assert_int_equal(ktlb_sys.generation, KTLB_GENERATION_STEP);
		switch_on(0, &space[limit[i] - 1]);
		assert_int_equal(ktlb_sys.generation, 2 * KTLB_GENERATION_STEP);
		ids_are_unique(SPACES);
	}
}

/* CPU 1 runs one space for ever, through many rollovers: its number never goes to another. */
static void a_running_space_keeps_its_number(void **unused)
{
	uint64_t number;

	(void)unused;
	start(3, 8, 5);
	switch_on(1, &space[SPACES - 1]);
	number = loaded_id(1);
	for (uint32_t i = 0; i < 300; i++) {
		switch_on(0, &space[i % 50]);
		switch_on(2, &space[(i + 7) % 50]);
		assert_int_not_equal(loaded_id(0), number);
		assert_int_not_equal(loaded_id(2), number);
		ids_are_unique(SPACES);
	}
	assert_true(ktlb_sys.generation > 20 * KTLB_GENERATION_STEP);
	/* and has it still, with the new label, when it is looked at again */
	switch_on(1, &space[SPACES - 1]);
	assert_int_equal(loaded_id(1), number);
	assert_int_equal(KTLB_ID_GENERATION(ktlb_space_id(&space[SPACES - 1])),
	                 ktlb_sys.generation);
	ids_are_unique(SPACES);
}

/*
 * Two CPUs run one space through a rollover. One of them switches away and back, which relabels it:
 * the other's reserved copy must be relabelled too, or after the next rollover nobody knows that
 * the number is the space's.
 */
static void all_reserved_copies_are_relabelled(void **unused)
{
	uint64_t number;

	(void)unused;
	start(3, 8, 5);
	switch_on(0, &space[0]);
	switch_on(1, &space[0]);
	number = loaded_id(0);
	for (uint64_t generation = ktlb_sys.generation; ktlb_sys.generation == generation;)
		for (uint32_t i = 1; i < 5; i++)
			switch_on(2, &space[i]);
	switch_on(0, &space[0]);
	assert_int_equal(loaded_id(0), number);
	switch_on(0, &space[10]);
	/* CPU 1 alone runs it now, and has not switched since */
	for (uint32_t i = 0; i < 100; i++) {
		switch_on(2, &space[11 + i % 8]);
		switch_on(0, &space[20 + i % 8]);
		assert_int_not_equal(loaded_id(2), number);
		assert_int_not_equal(loaded_id(0), number);
		assert_null(ktlb_audit());
	}
	/* A second number for it would be one that flushes name, while CPU 1 runs under the first. */
	switch_on(0, &space[0]);
	assert_int_equal(loaded_id(0), number);
	ids_are_unique(SPACES);
}

/* After a rollover each CPU empties its own TLB once, before the first new root is loaded. */
static void each_cpu_pays_its_debt_once(void **unused)
{
	(void)unused;
	if (KTLB_CFG_ARM64_CNP)
		skip(); /* test_kept.c */
	start(4, 8, 6);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		switch_on(cpu, &space[cpu]);
	switch_on(0, &space[4]);
	assert_int_equal(ktlb_sys.generation, KTLB_GENERATION_STEP);
	switch_on(0, &space[5]); /* rolls over */
	assert_int_equal(ktlb_sys.generation, 2 * KTLB_GENERATION_STEP);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		unsigned own = 0, root = 0;

		if (cpu != 0)
			switch_on(cpu, &space[4 + cpu]);
		for (unsigned i = 0; i < fake_events; i++) {
			if (fake_log[i].op == FAKE_TLBI_OWN) {
				own++;
				assert_int_equal(fake_log[i + 1].op, FAKE_DSB_NSH);
			}
			if (fake_log[i].op == FAKE_TTBR0 && !root++)
				assert_int_equal(own, 1);
		}
		assert_int_equal(own, 1);
	}
	switch_on(2, &space[2]);
	for (unsigned i = 0; i < fake_events; i++)
		assert_int_not_equal(fake_log[i].op, FAKE_TLBI_OWN);
	ids_are_unique(SPACES);
}

/*
 * A lazy CPU keeps no number through a rollover; but the debt it owes is not forgotten, whether it
 * went lazy before the rollover or after.
 */
static void lazy_cpus_and_rollovers(void **unused)
{
	(void)unused;
	start(2, 8, 4);
	switch_on(1, &space[0]);
	ktlb_enter_lazy();
	assert_int_equal(loaded_root(1), FAKE_EMPTY_TABLE);
	switch_on(0, &space[1]);
	switch_on(0, &space[2]);
	switch_on(0, &space[3]); /* rolls over; keeps CPU 0's number alone */
	assert_int_equal(fake_state(1)->reserved, 0);
	assert_int_equal(fake_state(1)->active, 0);
	fake_run_on(1);
	ktlb_enter_lazy();
	assert_int_equal(fake_state(1)->active, 0);
	switch_on(1, &space[0]);
	assert_int_equal(fake_cpu[1].root_under_id[loaded_id(1)], 1 << 20);
	ids_are_unique(SPACES);

	/* runs through the rollover, goes lazy afterwards */
	switch_on(0, &space[4]);
	switch_on(0, &space[5]);
	switch_on(0, &space[6]);
	assert_int_equal(fake_state(1)->active, 0);
	fake_run_on(1);
	ktlb_enter_lazy();
	assert_int_equal(fake_state(1)->active, 0);
	switch_on(1, &space[7]);
	ids_are_unique(SPACES);
}

/* Long random runs on every shape of machine. */
static void random_walks(void **unused)
{
	static const uint32_t cpus[] = {2, 3, 4, 8, 16};

	(void)unused;
	srand(7);
	for (unsigned c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++) {
		const uint32_t limit[] = {cpus[c] + 2, cpus[c] + 3, 64, 65, 256};

		if (cpus[c] > KTLB_CFG_MAX_CPUS)
			continue;
		for (unsigned l = 0; l < sizeof(limit) / sizeof(limit[0]); l++) {
			start(cpus[c], l & 1 ? 16 : 8, limit[l]);
			for (uint32_t i = 0; i < 4000; i++) {
				uint32_t s = (uint32_t)rand() % SPACES;
				uint32_t cpu = (uint32_t)rand() % cpus[c];

				fake_clear_log();
				fake_run_on(cpu);
				switch (rand() % 8) {
				case 0:
					ktlb_enter_lazy();
					assert_int_equal(loaded_root(cpu), FAKE_EMPTY_TABLE);
					continue;
				case 1:
					for (uint32_t o = 0; o < cpus[c]; o++)
						if (fake_state(o)->loaded == &space[s]) {
							fake_run_on(o);
							ktlb_enter_lazy();
						}
					fake_run_on(cpu);
					ktlb_space_destroy(&space[s]);
					ktlb_space_init(&space[s], (uint64_t)(s + 1) << 20);
					break;
				}
				ktlb_switch(&space[s]);
				assert_int_equal(loaded_root(cpu), (uint64_t)(s + 1) << 20);
				assert_int_equal(loaded_id(cpu),
				                 KTLB_ID_NUMBER(ktlb_space_id(&space[s])));
				if (i % 50 == 0)
					ids_are_unique(SPACES);
			}
			ids_are_unique(SPACES);
		}
	}
}

/* All of 16 bits: the last number is handed out, the one behind it never. */
static void sixteen_bits(void **unused)
{
	static struct ktlb_space many[65600];

	(void)unused;
	start(2, 16, 0);
	memset(many, 0, sizeof(many));
	for (uint64_t i = 0; i < 65535; i++) {
		ktlb_space_init(&many[i], (i + 1) << 12);
		switch_on(0, &many[i]);
		assert_int_equal(loaded_id(0), i + 1);
	}
	ktlb_space_init(&many[65535], (uint64_t)1 << 40);
	switch_on(0, &many[65535]);
	assert_int_equal(ktlb_sys.generation, 2 * KTLB_GENERATION_STEP);
	assert_int_equal(loaded_id(0), 1);
	assert_int_equal(fake_aliases, 0);
	assert_null(ktlb_audit());
}

/* Long-lived holders at the end of the numbers, where a search may run off. */
static void holders_of_the_last_numbers(void **unused)
{
	(void)unused;
	start(4, 8, 6);
	for (uint32_t i = 0; i < 4; i++)
		switch_on(0, &space[i]);
	switch_on(1, &space[1]);
	switch_on(2, &space[2]);
	switch_on(3, &space[3]); /* numbers 2, 3 and 4 run on; 5 is the last */
	for (uint32_t i = 0; i < 200; i++) {
		switch_on(0, &space[10 + i % 20]);
		assert_true(loaded_id(0) == 1 || loaded_id(0) == 5);
		ids_are_unique(SPACES);
	}
}

/* CPU 1 begins another generation, and ends with a space that nobody else has. */
static void roll_over_on_cpu_1(void)
{
	static uint32_t s;
	uint64_t generation = ktlb_sys.generation;

	fake_run_on(1);
	while (ktlb_sys.generation == generation)
		ktlb_switch(&space[100 + s++ % 200]);
}

/* CPU 1 runs under every number that it can get: never under the one that CPU 0's register holds. */
static void cpu_1_keeps_off_the_number_of_cpu_0(void)
{
	uint64_t generation = ktlb_sys.generation;

	fake_run_on(1);
	for (uint32_t s = 310;
	     s < 330 && ktlb_sys.generation < generation + 5 * KTLB_GENERATION_STEP; s++) {
		ktlb_switch(&space[s]);
		assert_int_not_equal(loaded_id(1), loaded_id(0));
	}
}

/*
 * Two rollovers inside one switch: the first before the compare-and-exchange, the second before the
 * lock. CPU 0's root is still the old space's, so its number must still be kept.
 */
static unsigned steps;

static void roll_over_twice(enum fake_op op)
{
	if (fake_this_number() != 0)
		return;
	if (op == FAKE_CAS && steps == 0) {
		steps = 1;
		roll_over_on_cpu_1();
	} else if (op == FAKE_LOCK && steps == 1) {
		steps = 2;
		roll_over_on_cpu_1();
		cpu_1_keeps_off_the_number_of_cpu_0();
	}
}

static void two_rollovers_inside_a_switch(void **unused)
{
	(void)unused;
	start(2, 8, 5);
	switch_on(0, &space[1]);
	switch_on(0, &space[0]);
	steps = 0;
	fake_hook = roll_over_twice;
	switch_on(0, &space[1]);
	fake_hook = 0;
	assert_int_equal(steps, 2);
	assert_int_equal(loaded_root(0), 2 << 20);
	ids_are_unique(SPACES);
}

/*
 * A rollover while CPU 0 has another space's id already and the old one's root still: the old
 * space's number stays its own, so that a flush of it still reaches CPU 0.
 */
static void roll_over_before_root(enum fake_op op)
{
	if (op != FAKE_TTBR0 || fake_this_number() != 0 || steps)
		return;
	steps = 1;
	roll_over_on_cpu_1();
	cpu_1_keeps_off_the_number_of_cpu_0();
	fake_run_on(1);
	ktlb_switch(&space[0]);
	assert_int_equal(loaded_id(1), loaded_id(0));
}

static void a_rollover_while_a_space_is_left(void **unused)
{
	(void)unused;
	/* by the fast path, and by the slow one; with numbers to spare, and with just one */
	for (uint32_t limit = 5; limit <= 6; limit++) {
		for (uint32_t next = 1; next <= 2; next++) {
			start(2, 8, limit);
			switch_on(0, &space[1]);
			switch_on(0, &space[0]);
			steps = 0;
			fake_hook = roll_over_before_root;
			switch_on(0, &space[next]);
			fake_hook = 0;
			assert_int_equal(steps, 1);
			assert_int_equal(loaded_root(0), (uint64_t)(next + 1) << 20);
			ids_are_unique(SPACES);
		}
	}
}

/*
 * Two rollovers in that window: what CPU 0 is about to run under is kept through both, although
 * neither `active` nor `loaded` says it any more.
 */
static void roll_over_twice_before_root(enum fake_op op)
{
	uint64_t entering = KTLB_ID_NUMBER(ktlb_space_id(&space[1]));

	if (op != FAKE_TTBR0 || fake_this_number() != 0 || steps)
		return;
	steps = 1;
	roll_over_on_cpu_1();
	roll_over_on_cpu_1();
	for (uint32_t s = 310; s < 340; s++) {
		ktlb_switch(&space[s]);
		assert_int_not_equal(loaded_id(1), entering);
		assert_int_not_equal(loaded_id(1), loaded_id(0));
	}
}

static void two_rollovers_before_the_root(void **unused)
{
	(void)unused;
	start(2, 8, 6);
	switch_on(0, &space[1]);
	switch_on(0, &space[0]);
	steps = 0;
	fake_hook = roll_over_twice_before_root;
	switch_on(0, &space[1]);
	fake_hook = 0;
	assert_int_equal(steps, 1);
	ids_are_unique(SPACES);
}

/*
 * With the fewest ids a rollover may find none while CPU 0 is between two spaces: it goes on trying,
 * and succeeds when CPU 0 has gone on. (The relax of the waiting CPU lets CPU 0 go on.)
 */
static void cpu_0_goes_on(enum fake_op op)
{
	(void)op;
	if (++steps == 3)
		fake_state(0)->loaded = &space[1];
}

static void a_rollover_waits_for_a_cpu_between_spaces(void **unused)
{
	(void)unused;
	start(2, 8, 4);
	switch_on(0, &space[0]);           /* number 1 */
	switch_on(1, &space[2]);           /* number 2 */
	switch_on(0, &space[1]);           /* number 3 */
	fake_state(0)->loaded = &space[0]; /* as it was a moment ago */
	steps = 0;
	fake_hook = cpu_0_goes_on;
	switch_on(1, &space[3]);
	fake_hook = 0;
	assert_true(steps >= 3);
	ids_are_unique(SPACES);
}

/* A rollover between the load and the compare-and-exchange of lazy mode: its 0 stays. */
static void roll_over_before_cas(enum fake_op op)
{
	if (op == FAKE_CAS && fake_this_number() == 0)
		roll_over_on_cpu_1();
}

static void a_rollover_inside_lazy_mode(void **unused)
{
	(void)unused;
	start(2, 8, 4);
	switch_on(0, &space[0]);
	fake_hook = roll_over_before_cas;
	ktlb_enter_lazy();
	fake_hook = 0;
	assert_int_equal(fake_state(0)->active, 0);
	switch_on(0, &space[1]);
	ids_are_unique(SPACES);
}

/* Debts do not outlive the system that made them. */
static void init_forgets_debts(void **unused)
{
	(void)unused;
	start(2, 8, 4);
	switch_on(1, &space[1]);
	roll_over_on_cpu_1();
	start(2, 8, 4);
	switch_on(0, &space[0]);
	for (unsigned i = 0; i < fake_events; i++)
		assert_int_not_equal(fake_log[i].op, FAKE_TLBI_OWN);
}

/* The audit, too, must be able to fail: each of its sentences, from a state forged for it. */
static void the_audit_finds_what_is_wrong(void **unused)
{
	uint64_t id;

	(void)unused;
	start(2, 8, 8);
	switch_on(0, &space[0]);
	switch_on(1, &space[1]);
	assert_null(ktlb_audit());

	fake_state(1)->active = ktlb_sys.generation | 200;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: a CPU holds a number that is never handed out");
	fake_state(1)->active = ktlb_sys.generation | 7;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: a CPU holds a number that is free for others");
	id = fake_state(0)->active;
	fake_state(1)->active = id + KTLB_GENERATION_STEP;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: two CPUs hold one number under different ids");
	/* what is kept since a rollover counts as well */
	fake_state(1)->active = 0;
	fake_state(1)->reserved = ktlb_sys.generation | 7;
	assert_string_equal(ktlb_audit(),
	                    "ktlb_audit: a CPU holds a number that is free for others");
	fake_state(1)->active = KTLB_ID_LAZY;
	assert_null(ktlb_audit());
}

/* The counts are those of a small, known history. */
static void counts(void **unused)
{
	(void)unused;
	start(2, 8, 4);
	if (!KTLB_CFG_COUNT) {
		switch_on(0, &space[0]);
		for (enum ktlb_counter c = 0; c < KTLB_COUNTERS; c++)
			assert_int_equal(count(c), 0);
		return;
	}
	switch_on(0, &space[0]); /* slow, new id */
	switch_on(0, &space[0]); /* same */
	switch_on(0, &space[1]); /* slow, new id */
	switch_on(0, &space[0]); /* hit */
	switch_on(0, &space[2]); /* slow, new id */
	switch_on(0, &space[3]); /* slow, rollover, new id, debt */
	ktlb_enter_lazy();
	ktlb_enter_lazy(); /* nothing to take off */
	assert_int_equal(count(KTLB_COUNT_SWITCH_SLOW), 4);
	assert_int_equal(count(KTLB_COUNT_SWITCH_SAME), 1);
	assert_int_equal(count(KTLB_COUNT_SWITCH_HIT), 1);
	assert_int_equal(count(KTLB_COUNT_ID_NEW), 4);
	assert_int_equal(count(KTLB_COUNT_ROLLOVER), 1);
	assert_int_equal(count(KTLB_COUNT_FLUSH_OWED), 1);
	assert_int_equal(count(KTLB_COUNT_ENTER_LAZY), 1);
	for (enum ktlb_counter c = 0; c < KTLB_COUNTERS; c++)
		assert_true(strlen(ktlb_counter_name(c)) > 3);
	assert_string_equal(ktlb_counter_name(KTLB_COUNTERS), "unknown");
}

/* CPU numbers with holes, up to the last one. */
static void sparse_cpu_numbers(void **unused)
{
	struct ktlb_config config = {.cpus = 4, .id_limit = 6};
	uint32_t step = (KTLB_CFG_MAX_CPUS - 1) / 3;

	(void)unused;
	if (step == 0)
		skip();
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(8, 1, 1);
	fake_start(&config, KTLB_CFG_MAX_CPUS - 1 - 3 * step, step);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t cpu = KTLB_CFG_MAX_CPUS - 1 - i % 4 * step;

		switch_on(cpu, &space[i % 23]);
		assert_int_equal(loaded_root(cpu), (uint64_t)(i % 23 + 1) << 20);
		ids_are_unique(SPACES);
	}
}

/*
 * Threads of the host as CPUs, all at once. Each CPU takes a space that no other one is at and
 * claims its number: nobody else may claim it meanwhile.
 */
#define THREADS 4
static uint32_t busy[SPACES];
static uint64_t owner_of_number[65536];
static unsigned collisions;

static void *one_cpu(void *arg)
{
	uint32_t cpu = (uint32_t)(uintptr_t)arg;
	unsigned seed = cpu;

	fake_run_on(cpu);
	for (int i = 0; i < 20000; i++) {
		uint32_t s = (uint32_t)rand_r(&seed) % 32;
		uint64_t nobody = 0, number;

		if (__atomic_exchange_n(&busy[s], 1, __ATOMIC_ACQUIRE))
			continue;
		ktlb_switch(&space[s]);
		number = loaded_id(cpu);
		if (!__atomic_compare_exchange_n(&owner_of_number[number], &nobody, s + 1, 0,
		                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			__atomic_fetch_add(&collisions, 1, __ATOMIC_RELAXED);
		if (i % 16 == 0 && ktlb_audit())
			__atomic_fetch_add(&collisions, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&owner_of_number[number], 0, __ATOMIC_RELEASE);
		ktlb_enter_lazy();
		__atomic_store_n(&busy[s], 0, __ATOMIC_RELEASE);
	}
	return 0;
}

static void threads_at_once(void **unused)
{
	pthread_t thread[THREADS];

	(void)unused;
	if (KTLB_CFG_ARM64_CNP)
		skip(); /* the fake machine's broadcasts are for one thread at a time */
	start(THREADS, 8, THREADS + 2);
	fake_quiet = 1;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], 0, one_cpu, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], 0);
	assert_int_equal(collisions, 0);
	assert_int_equal(fake_aliases, 0);
	assert_null(ktlb_audit());
	assert_true(ktlb_sys.generation > 100 * KTLB_GENERATION_STEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_comes_with_the_first_switch),
		cmocka_unit_test(every_number_is_used_before_a_rollover),
		cmocka_unit_test(a_running_space_keeps_its_number),
		cmocka_unit_test(all_reserved_copies_are_relabelled),
		cmocka_unit_test(each_cpu_pays_its_debt_once),
		cmocka_unit_test(lazy_cpus_and_rollovers),
		cmocka_unit_test(random_walks),
		cmocka_unit_test(sixteen_bits),
		cmocka_unit_test(holders_of_the_last_numbers),
		cmocka_unit_test(two_rollovers_inside_a_switch),
		cmocka_unit_test(a_rollover_while_a_space_is_left),
		cmocka_unit_test(two_rollovers_before_the_root),
		cmocka_unit_test(a_rollover_waits_for_a_cpu_between_spaces),
		cmocka_unit_test(a_rollover_inside_lazy_mode),
		cmocka_unit_test(init_forgets_debts),
		cmocka_unit_test(the_audit_finds_what_is_wrong),
		cmocka_unit_test(counts),
		cmocka_unit_test(sparse_cpu_numbers),
		cmocka_unit_test(threads_at_once),
	};

	return cmocka_run_group_tests_name("ids", tests, 0, 0);
}
