/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are kept: pinned by a space, reserved, chosen; and what is otherwise where CPUs share TLB
 * entries. Each number has one owner through any number of rollovers; what cannot be had is refused,
 * and the allocator never finds itself without a number.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

#define SPACES 300

static struct ktlb_space space[SPACES];

static void start(uint32_t cpus, uint32_t limit)
{
	struct ktlb_config config = {.cpus = cpus, .id_limit = limit};

	if (cpus > KTLB_CFG_MAX_CPUS)
		skip();
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(8, 1, 1);
	fake_start(&config, 0, 1);
	memset(space, 0, sizeof(space));
	for (uint64_t i = 0; i < SPACES; i++)
		ktlb_space_init(&space[i], (i + 1) << 20);
}

static void switch_on(uint32_t cpu, struct ktlb_space *to)
{
	fake_clear_log();
	fake_run_on(cpu);
	ktlb_switch(to);
}

static uint64_t number_of(uint32_t s)
{
	return KTLB_ID_NUMBER(ktlb_space_id(&space[s]));
}

/* Rollovers on this CPU; those who have `kept` numbers never share one with who runs. */
static void roll_over(uint32_t cpu, unsigned times, uint64_t kept)
{
	uint64_t end = ktlb_sys.generation + times * KTLB_GENERATION_STEP;

	for (uint32_t i = 0; ktlb_sys.generation < end; i++) {
		switch_on(cpu, &space[100 + i % 150]);
		assert_int_not_equal(number_of(100 + i % 150), kept);
		assert_null(ktlb_audit());
	}
	assert_int_equal(fake_aliases, 0);
}

static void a_pinned_number_stays(void **unused)
{
	uint32_t number;

	(void)unused;
	start(2, 8);
	/* before it ever ran, and while it runs */
	number = ktlb_ids_pin(&space[0], 0);
	assert_true(number > 0 && number < 8);
	assert_int_equal(number_of(0), number);
	assert_int_equal(ktlb_ids_pin(&space[0], 0), number);
	roll_over(1, 5, number);
	assert_int_equal(number_of(0), number);
	switch_on(0, &space[0]);
	assert_int_equal(ktlb_space_id(&space[0]), ktlb_sys.generation | number);
	roll_over(1, 5, number);
	switch_on(0, &space[1]);
	roll_over(1, 5, number);
	switch_on(0, &space[0]);
	assert_int_equal(number_of(0), number);

	/* twice pinned: the first unpin is not the last */
	ktlb_ids_unpin(&space[0]);
	switch_on(0, &space[1]);
	roll_over(1, 5, number);
	assert_int_equal(number_of(0), number);
	ktlb_ids_unpin(&space[0]);
	/* and then it is everybody's */
	for (uint32_t i = 0, found = 0; !found; i++) {
		switch_on(1, &space[100 + i]);
		found = number_of(100 + i) == number;
		assert_true(i < 39);
	}
	switch_on(0, &space[0]);
	assert_int_not_equal(number_of(0), number);
	assert_null(ktlb_audit());
	assert_int_equal(fake_aliases, 0);
}

/* A number is pinned by one space while another one's old id has it, too. */
static void an_old_id_is_no_claim_to_a_pinned_number(void **unused)
{
	(void)unused;
	start(2, 8);
	switch_on(1, &space[0]); /* number 1 */
	switch_on(1, &space[1]);
	roll_over(1, 1, 0);
	fake_run_on(1);
	ktlb_enter_lazy(); /* with whatever it has got */
	for (uint32_t i = 2;; i++) {
		assert_true(i < 90);
		switch_on(0, &space[i]);
		if (number_of(i) == 1) {
			assert_int_equal(ktlb_ids_pin(&space[i], 0), 1);
			break;
		}
	}
	assert_int_equal(number_of(0), 1); /* of an old generation */
	switch_on(0, &space[99]);
	switch_on(1, &space[0]);
	assert_int_not_equal(number_of(0), 1);
	assert_null(ktlb_audit());
}

/* At the limit pin and reserve answer no, and rollovers still find a number for each CPU. */
static void the_limit_of_pins(void **unused)
{
	static const uint32_t limit[] = {6, 7, 8, 64, 65, 256};

	(void)unused;
	for (unsigned l = 0; l < sizeof(limit) / sizeof(limit[0]); l++) {
		uint32_t most = limit[l] - 2 - 4;

		start(4, limit[l]);
		for (uint32_t i = 0; i < most; i++)
			assert_int_not_equal(ktlb_ids_pin(&space[i], 0), 0);
		assert_int_equal(ktlb_ids_pin(&space[most], 0), 0);
		assert_int_equal(ktlb_space_id(&space[most]), 0);
		assert_int_equal(ktlb_id_reserve(limit[l] - 1), 0);
		if (most)
			assert_int_not_equal(ktlb_ids_pin(&space[0], 0), 0); /* has its number */
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			switch_on(cpu, &space[290 + cpu]);
		for (uint32_t i = 0; i < 300; i++)
			switch_on(i % 4, &space[255 + i % 30]);
		assert_null(ktlb_audit());
		assert_int_equal(fake_aliases, 0);
		if (most) {
			ktlb_ids_unpin(&space[0]);
			assert_int_equal(ktlb_ids_pin(&space[most], 0), 0);
			ktlb_ids_unpin(&space[0]);
			assert_int_not_equal(ktlb_ids_pin(&space[most], 0), 0);
		}
		assert_int_equal(ktlb_ids_pin(&space[most + 1], 0), 0);
	}
}

static void a_reserved_number_is_nobodys(void **unused)
{
	(void)unused;
	start(2, 8);
	assert_int_equal(ktlb_id_reserve(0), 0);
	assert_int_equal(ktlb_id_reserve(8), 0);
	assert_int_equal(ktlb_id_reserve(0xffffffff), 0);
	assert_int_equal(ktlb_id_reserve(3), 1);
	assert_int_equal(ktlb_id_reserve(3), 0);
	roll_over(1, 20, 3);
	/* too late: it has been handed out, or may have been */
	start(2, 8);
	switch_on(0, &space[0]);
	assert_int_equal(ktlb_id_reserve(1), 0);
	assert_int_equal(ktlb_id_reserve(7), 1);
	roll_over(1, 1, 7);
	assert_int_equal(ktlb_id_reserve(5), 0);
	/* a new start forgets */
	start(2, 8);
	assert_int_equal(ktlb_id_reserve(7), 1);
}

static void a_chosen_number(void **unused)
{
	(void)unused;
	start(2, 9);
	assert_int_equal(ktlb_id_reserve(5), 1);
	assert_int_equal(ktlb_id_reserve(6), 1);
	assert_int_equal(ktlb_ids_pin(&space[0], 4), 0); /* not reserved */
	assert_int_equal(ktlb_ids_pin(&space[0], 9), 0);
	switch_on(0, &space[1]);
	assert_int_equal(ktlb_ids_pin(&space[1], 5), 0); /* runs under another */
	assert_int_equal(ktlb_ids_pin(&space[0], 5), 5);
	assert_int_equal(ktlb_ids_pin(&space[0], 6), 0);
	assert_int_equal(ktlb_ids_pin(&space[0], 0), 5);
	assert_int_equal(ktlb_ids_pin(&space[2], 5), 0); /* somebody's */
	roll_over(1, 6, 5);
	switch_on(0, &space[0]);
	assert_int_equal(number_of(0), 5);
	/* unpinned it is the space's still, until it ends */
	ktlb_ids_unpin(&space[0]);
	ktlb_ids_unpin(&space[0]);
	assert_int_equal(ktlb_ids_pin(&space[2], 5), 0);
	roll_over(1, 6, 5);
	assert_int_equal(ktlb_ids_pin(&space[0], 5), 5);
	ktlb_ids_unpin(&space[0]);
	/* CPU 0 has kept it since a rollover, and goes lazy */
	roll_over(1, 2, 5);
	fake_run_on(0);
	ktlb_enter_lazy();
	ktlb_space_destroy(&space[0]);
	assert_int_equal(ktlb_ids_pin(&space[2], 5), 5);
	switch_on(1, &space[2]);
	assert_int_equal(number_of(2), 5);
	assert_null(ktlb_audit());
	roll_over(0, 6, 5);
	assert_int_equal(number_of(2), 5);
	assert_int_equal(fake_aliases, 0);
	/* it counted once, whoever had it: 5, 6 and two more */
	assert_int_not_equal(ktlb_ids_pin(&space[10], 0), 0);
	assert_int_not_equal(ktlb_ids_pin(&space[11], 0), 0);
	assert_int_not_equal(ktlb_ids_pin(&space[12], 0), 0);
	assert_int_equal(ktlb_ids_pin(&space[13], 0), 0);
}

/* What walks under a number afterwards is reached by a flush: the id is published by a full barrier. */
static int id_at_barrier;

static void look(enum fake_op op)
{
	if (op == FAKE_DSB_ISH)
		id_at_barrier = ktlb_space_id(&space[0]) != 0;
}

static void a_pin_is_a_barrier(void **unused)
{
	(void)unused;
	start(1, 8);
	id_at_barrier = 0;
	fake_hook = look;
	ktlb_ids_pin(&space[0], 0);
	fake_hook = 0;
	assert_true(id_at_barrier);
	ktlb_flush_page(&space[0], 0, 0); /* although it never ran */
	assert_int_equal(fake_log[fake_events - 2].op, FAKE_TLBI_VA);
}

static void misuse(void **unused)
{
	static struct ktlb_space none;
	uint32_t limit;

	(void)unused;
	start(1, 8);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_ids_pin(&none, 0)),
	                    "ktlb_ids_pin: the space is not initialised");
	start(1, 8);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_ids_unpin(&space[0])),
	                    "ktlb_ids_unpin: the space is not pinned");
	start(1, 8);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_ids_unpin(&none)),
	                    "ktlb_ids_unpin: the space is not pinned");
	start(1, 8);
	ktlb_ids_pin(&space[0], 0);
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_space_destroy(&space[0])),
	                    "ktlb_space_destroy: the space is pinned");
	limit = ktlb_sys.id_limit;
	ktlb_sys.id_limit = 0;
	assert_string_equal(FAKE_SENTENCE_OF(ktlb_id_reserve(1)),
	                    "ktlb_id_reserve: ktlb_init has not run");
	ktlb_sys.id_limit = limit;
}

static void interrupts_come_back(void **unused)
{
	(void)unused;
	start(1, 8);
	for (int off = 0; off < 2; off++) {
		fake_this()->irqs_off = off;
		assert_int_equal(ktlb_id_reserve(3 + (uint32_t)off), 1);
		assert_int_equal(fake_this()->irqs_off, off);
		assert_int_not_equal(ktlb_ids_pin(&space[off], 0), 0);
		assert_int_equal(fake_this()->irqs_off, off);
		ktlb_ids_unpin(&space[off]);
		assert_int_equal(fake_this()->irqs_off, off);
	}
	fake_this()->irqs_off = 1;
}

/* Random pins, unpins, switches, ends: a number never has two owners. */
static void random_walk(void **unused)
{
	static uint32_t pins[40];
	static uint64_t pinned_as[40];
	const uint32_t cpus = 3;

	(void)unused;
	srand(3);
	start(cpus, 12);
	memset(pins, 0, sizeof(pins));
	assert_int_equal(ktlb_id_reserve(4), 1);
	for (int i = 0; i < 30000; i++) {
		uint32_t s = (uint32_t)rand() % 40, cpu = (uint32_t)rand() % cpus;

		fake_clear_log();
		fake_run_on(cpu);
		switch (rand() % 8) {
		case 0:
			pinned_as[s] = ktlb_ids_pin(&space[s], rand() % 4 ? 0 : 4);
			if (pinned_as[s] == 0)
				assert_true(1);
			else
				pins[s]++;
			break;
		case 1:
			if (pins[s]) {
				ktlb_ids_unpin(&space[s]);
				pins[s]--;
			}
			break;
		case 2:
			for (uint32_t o = 0; o < cpus && !pins[s]; o++)
				if (fake_state(o)->loaded == &space[s]) {
					fake_run_on(o);
					ktlb_enter_lazy();
				}
			fake_run_on(cpu);
			if (!pins[s]) {
				ktlb_space_destroy(&space[s]);
				ktlb_space_init(&space[s], (uint64_t)(s + 1) << 20);
			}
			break;
		case 3:
			ktlb_enter_lazy();
			break;
		default:
			ktlb_switch(&space[s]);
			break;
		}
		for (uint32_t a = 0; a < 40; a++) {
			for (uint32_t b = 0; b < a && pins[a]; b++)
				if (pins[b])
					assert_int_not_equal(number_of(a), number_of(b));
		}
		assert_null(ktlb_audit());
		assert_int_equal(fake_aliases, 0);
	}
}

/* ---- CPUs that share entries ------------------------------------------------------------------*/

static void cnp_is_on_spaces_alone(void **unused)
{
	struct ktlb_config config = {.cpus = 1, .without = KTLB_FEATURE_CNP};

	(void)unused;
	start(1, 8);
	assert_int_equal(ktlb_features() & KTLB_FEATURE_CNP,
	                 KTLB_CFG_ARM64_CNP ? KTLB_FEATURE_CNP : 0);
	for (uint32_t i = 0; i < 40; i++) {
		switch_on(0, &space[i % 12]);
		for (unsigned e = 0; e < fake_events; e++) {
			uint64_t root = fake_log[e].operand & 0xfffffffffffe;

			if (fake_log[e].op != FAKE_TTBR0)
				continue;
			assert_int_equal(fake_log[e].operand & 1,
			                 KTLB_CFG_ARM64_CNP && root != FAKE_EMPTY_TABLE);
		}
	}
	ktlb_enter_lazy();
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);

	/* not on a machine that has it not, or when told not to */
	fake_reset(8, 1, 1);
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_start(&config, 0, 1);
	memset(&space[0], 0, sizeof(space[0]));
	ktlb_space_init(&space[0], 1 << 20);
	ktlb_switch(&space[0]);
	assert_int_equal(fake_this()->ttbr0 & 1, 0);
	fake_reset(8, 1, 1);
	fake_this()->mmfr2 &= ~(uint64_t)15;
	config.without = 0;
	fake_start(&config, 0, 1);
	assert_int_equal(ktlb_features() & KTLB_FEATURE_CNP, 0);
}

/* Before the lock is asked for the empty table is loaded; the debt is paid for all, by a broadcast. */
static uint64_t ttbr0_at_lock;

static void note_ttbr0(enum fake_op op)
{
	if (op == FAKE_LOCK)
		ttbr0_at_lock = fake_this()->ttbr0;
}

static void one_broadcast_pays_all_debts(void **unused)
{
	unsigned broadcasts = 0;

	(void)unused;
	if (!KTLB_CFG_ARM64_CNP)
		skip();
	start(3, 8);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		switch_on(cpu, &space[cpu]);
	for (uint32_t i = 10; i < 14; i++)
		switch_on(0, &space[i]);
	fake_hook = note_ttbr0;
	switch_on(0, &space[4]); /* rolls over */
	fake_hook = 0;
	assert_int_equal(ttbr0_at_lock, FAKE_EMPTY_TABLE);
	assert_int_equal(ktlb_sys.generation, 2 * KTLB_GENERATION_STEP);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		if (cpu)
			switch_on(cpu, &space[5 + cpu]);
		for (unsigned e = 0; e < fake_events; e++) {
			assert_int_not_equal(fake_log[e].op, FAKE_TLBI_OWN);
			if (fake_log[e].op == FAKE_TLBI_ALL) {
				broadcasts++;
				assert_int_equal(fake_log[e + 1].op, FAKE_DSB_ISH);
			}
		}
	}
	assert_int_equal(broadcasts, 1);
	assert_int_equal(fake_aliases, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pinned_number_stays),
		cmocka_unit_test(an_old_id_is_no_claim_to_a_pinned_number),
		cmocka_unit_test(the_limit_of_pins),
		cmocka_unit_test(a_reserved_number_is_nobodys),
		cmocka_unit_test(a_chosen_number),
		cmocka_unit_test(a_pin_is_a_barrier),
		cmocka_unit_test(misuse),
		cmocka_unit_test(interrupts_come_back),
		cmocka_unit_test(random_walk),
		cmocka_unit_test(cnp_is_on_spaces_alone),
		cmocka_unit_test(one_broadcast_pays_all_debts),
	};

	return cmocka_run_group_tests_name("kept", tests, 0, 0);
}
