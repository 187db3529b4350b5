/* SPDX-License-Identifier: MIT */
/* Which instructions a switch, lazy mode and a destroy are, in which order, and who am I. */
#include "unit.h"

#include "ktlb_asid_global.h"

static struct ktlb_space a, b;

static int start(void **unused)
{
	struct ktlb_config config = {.cpus = 2};

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2)
		config.cpus = 1;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	ktlb_space_init(&a, 0xa00000);
	ktlb_space_init(&b, 0xb00000);
	return 0;
}

static void expect(const enum fake_op *op, unsigned ops)
{
	for (unsigned i = 0; i < ops && i < fake_events; i++)
		assert_int_equal(fake_log[i].op, op[i]);
	assert_int_equal(fake_events, ops);
	fake_clear_log();
}
#define EXPECT(...)                                           \
	do {                                                  \
		const enum fake_op ops_[] = {__VA_ARGS__};    \
                                                              \
		expect(ops_, sizeof(ops_) / sizeof(ops_[0])); \
	} while (0)

/* The register writes of a load: one, or the empty table, the id and the root, each synchronised. */
#if KTLB_CFG_ARM64_ASID_IN_TTBR1
#define LOAD FAKE_TTBR0, FAKE_ISB, FAKE_TTBR1, FAKE_ISB, FAKE_TTBR0, FAKE_ISB
#else
#define LOAD FAKE_TTBR0, FAKE_ISB
#endif

/* Before the allocator: nothing, or the empty table where CPUs share entries. */
#if KTLB_CFG_ARM64_CNP
#define SLOW FAKE_TTBR0, FAKE_ISB, FAKE_DSB_ISH
#else
#define SLOW FAKE_DSB_ISH
#endif

static void loaded(uint64_t root, uint64_t id)
{
	root |= KTLB_CFG_ARM64_CNP;
	if (KTLB_CFG_ARM64_ASID_IN_TTBR1) {
		assert_int_equal(fake_this()->ttbr0, root);
		assert_int_equal(fake_this()->ttbr1, id << 48 | 0x7654000000);
	} else {
		assert_int_equal(fake_this()->ttbr0, id << 48 | root);
		assert_int_equal(fake_this()->ttbr1, 0x7654000000);
	}
}

/* [B3]: when the barrier comes, the id is there; and the root is loaded after it. */
static int id_seen_at_barrier;

static void look_for_id(enum fake_op op)
{
	if (op == FAKE_DSB_ISH && fake_events > 0)
		id_seen_at_barrier = ktlb_space_id(&a) != 0;
}

static void a_new_id_is_published_before_its_root(void **unused)
{
	(void)unused;
	id_seen_at_barrier = 0;
	fake_hook = look_for_id;
	ktlb_switch(&a);
	fake_hook = 0;
	assert_true(id_seen_at_barrier);
	EXPECT(FAKE_DSB_ISH, SLOW, LOAD);
	loaded(0xa00000, 1);
}

static void a_hit_is_one_barrier_and_a_load(void **unused)
{
	(void)unused;
	ktlb_switch(&a);
	ktlb_switch(&b);
	fake_clear_log();
	ktlb_switch(&a);
	EXPECT(FAKE_DSB_ISH, LOAD);
	loaded(0xa00000, 1);
	assert_ptr_equal(fake_state(0)->loaded, &a);
	if (KTLB_CFG_ARM64_ASID_IN_TTBR1) {
		/* in between: the empty table */
		ktlb_switch(&b);
		assert_int_equal(fake_log[1].op, FAKE_TTBR0);
		assert_int_equal(fake_log[1].operand, FAKE_EMPTY_TABLE);
	}
}

static void the_same_space_is_the_barrier_alone(void **unused)
{
	(void)unused;
	ktlb_switch(&a);
	fake_clear_log();
	ktlb_switch(&a);
	EXPECT(FAKE_DSB_ISH);
}

static void lazy_and_back(void **unused)
{
	(void)unused;
	ktlb_switch(&a);
	fake_clear_log();
	ktlb_enter_lazy();
	EXPECT(FAKE_DSB_ISH, FAKE_TTBR0, FAKE_ISB);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
	assert_null(fake_state(0)->loaded);
	ktlb_enter_lazy();
	EXPECT(FAKE_DSB_ISH);
	/* although it is the space that was loaded last: its root is not */
	ktlb_switch(&a);
	EXPECT(FAKE_DSB_ISH, LOAD);
	loaded(0xa00000, 1);
}

/* `loaded` changes after the root register, both ways: a rollover relies on it. */
static struct ktlb_space *loaded_at_root;

static void look_at_loaded(enum fake_op op)
{
	if (op == FAKE_TTBR0)
		loaded_at_root = fake_state(0)->loaded;
}

static void loaded_follows_the_root(void **unused)
{
	(void)unused;
	for (int slow = 1; slow >= 0; slow--) {
		ktlb_switch(&a);
		fake_hook = look_at_loaded;
		ktlb_switch(&b);
		assert_ptr_equal(loaded_at_root, &a);
		ktlb_enter_lazy();
		assert_ptr_equal(loaded_at_root, &b);
		ktlb_switch(&a);
		assert_null(loaded_at_root);
		fake_hook = 0;
	}
}

/* [B1] comes before the id is read: what another CPU does meanwhile is seen. */
static void renumber(enum fake_op op)
{
	if (op == FAKE_DSB_ISH)
		a.id = ktlb_sys.generation | 77;
}

static void the_barrier_is_first(void **unused)
{
	(void)unused;
	ktlb_switch(&a);
	ktlb_switch(&b);
	fake_hook = renumber;
	ktlb_switch(&a);
	fake_hook = 0;
	loaded(0xa00000, 77);
}

static void attribute_bits_of_a_root_pass_through(void **unused)
{
	struct ktlb_space c = {.root = 0};

	(void)unused;
	ktlb_space_init(&c, 0xc00000 | 0x3e);
	ktlb_switch(&c);
	loaded(0xc00000 | 0x3e, 1);
	ktlb_space_destroy(&c);
}

static void destroy_takes_its_own_cpu_off(void **unused)
{
	(void)unused;
	ktlb_switch(&a);
	fake_clear_log();
	fake_this()->irqs_off =
		0; /* any context: it masks interrupts itself, and gives them back */
	ktlb_space_destroy(&a);
	assert_false(fake_this()->irqs_off);
	EXPECT(FAKE_DSB_ISH, FAKE_TTBR0, FAKE_ISB, FAKE_DSB_ISHST, FAKE_TLBI_ID, FAKE_DSB_ISH);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
	assert_int_equal(ktlb_space_id(&a), 0);
	/* the struct can be used again, and gets another id */
	fake_this()->irqs_off = 1;
	ktlb_space_init(&a, 0xa00000);
	ktlb_switch(&a);
	assert_int_equal(KTLB_ID_NUMBER(ktlb_space_id(&a)), 2);
	/* destroy while interrupts are off leaves them off */
	ktlb_space_destroy(&a);
	assert_true(fake_this()->irqs_off);
}

static void a_cpu_comes_online_with_an_empty_tlb(void **unused)
{
	struct ktlb_config config = {.cpus = 1};

	(void)unused;
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	ktlb_init(&config);
	ktlb_cpu_online(0, fake_state(0));
	EXPECT(FAKE_TTBR0, FAKE_ISB, FAKE_TLBI_OWN, FAKE_DSB_NSH, FAKE_ISB);
	assert_int_equal(fake_this()->ttbr0, FAKE_EMPTY_TABLE);
}

static void who_am_i(void **unused)
{
	(void)unused;
	for (uint32_t cpu = 0; cpu < (KTLB_CFG_MAX_CPUS < 2 ? 1 : 2); cpu++) {
		fake_run_on(cpu);
		assert_int_equal(ktlb_cpu_id(), cpu);
		assert_ptr_equal(ktlb_cpu_self(), fake_state(cpu));
	}
	fake_run_on(0);
	if (KTLB_CFG_CPU_ID == KTLB_KERNEL)
		return;
	/* O3: where the number comes from */
	fake_this()->thread[KTLB_CFG_THREAD_OFFSET / 4] = 1234;
	assert_int_equal(ktlb_cpu_id(), KTLB_CFG_OPT_CPU_ID_IN_THREAD ? 1234 : 0);
	/* O1: the switch needs it only in the arm before the change */
	fake_this()->thread[KTLB_CFG_THREAD_OFFSET / 4] = 0;
	ktlb_switch(&a);
	ktlb_switch(&b);
	fake_this()->thread[KTLB_CFG_THREAD_OFFSET / 4] = KTLB_CFG_MAX_CPUS - 1;
	if (KTLB_CFG_OPT_THIS_CPU_ASID) {
		ktlb_switch(&a);
		assert_ptr_equal(fake_state(0)->loaded, &a);
	}
}

static void features(void **unused)
{
	struct ktlb_config config = {.cpus = 1, .without = KTLB_FEATURE_TLBI_RANGE};

	(void)unused;
	assert_int_equal(ktlb_features() & ~(uint32_t)KTLB_FEATURE_CNP,
	                 KTLB_FEATURE_TLBI_RANGE | KTLB_FEATURE_TTL);
	config.kernel_root = FAKE_EMPTY_TABLE;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	assert_int_equal(ktlb_features() & ~(uint32_t)KTLB_FEATURE_CNP, KTLB_FEATURE_TTL);
	fake_reset(8, 0, 0);
	fake_start(&config, 0, 1);
	assert_int_equal(ktlb_features() & ~(uint32_t)KTLB_FEATURE_CNP, 0);
	assert_int_equal(ktlb_id_limit(), 256);
}

/* What the register says, at each step: whatever ktlb has noted by then. */
static unsigned asked;

static void ask(enum fake_op op)
{
	uint64_t root = fake_this()->ttbr0 & 0xfffffffffffe;

	(void)op;
	asked++;
	assert_int_equal(ktlb_loaded(&a), root == 0xa00000);
	assert_int_equal(ktlb_loaded(&b), root == 0xb00000);
}

static void loaded_is_what_the_register_says(void **unused)
{
	static struct ktlb_space none;

	(void)unused;
	fake_hook = ask;
	ktlb_switch(&a);
	assert_true(ktlb_loaded(&a));
	ktlb_switch(&b);
	ktlb_switch(&a);
	ktlb_enter_lazy();
	assert_false(ktlb_loaded(&a));
	ktlb_switch(&a);
	fake_hook = 0;
	assert_true(asked > 10);
	assert_false(ktlb_loaded(&none));
	if (KTLB_CFG_MAX_CPUS > 1) {
		fake_run_on(1);
		assert_false(ktlb_loaded(&a));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_id_is_published_before_its_root, start),
		cmocka_unit_test_setup(a_hit_is_one_barrier_and_a_load, start),
		cmocka_unit_test_setup(the_same_space_is_the_barrier_alone, start),
		cmocka_unit_test_setup(lazy_and_back, start),
		cmocka_unit_test_setup(loaded_follows_the_root, start),
		cmocka_unit_test_setup(the_barrier_is_first, start),
		cmocka_unit_test_setup(attribute_bits_of_a_root_pass_through, start),
		cmocka_unit_test_setup(destroy_takes_its_own_cpu_off, start),
		cmocka_unit_test_setup(a_cpu_comes_online_with_an_empty_tlb, start),
		cmocka_unit_test_setup(who_am_i, start),
		cmocka_unit_test_setup(features, start),
		cmocka_unit_test_setup(loaded_is_what_the_register_says, start),
	};

	return cmocka_run_group_tests_name("switch", tests, 0, 0);
}
