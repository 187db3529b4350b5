/* SPDX-License-Identifier: MIT */
/*
 * Wrong use is never silent: each sentence that ktlb.h promises, by the shortest way to it, and that
 * nothing is weakened or half done on that way. Checks of hot paths are skipped where they are off.
 */
#include "unit.h"

#include "ktlb_asid_global.h"

static struct ktlb_space space, zero;

static struct ktlb_config good(uint32_t cpus)
{
	struct ktlb_config config = {.cpus = cpus};

	config.kernel_root = FAKE_EMPTY_TABLE;
	return config;
}

static int start(void **unused)
{
	struct ktlb_config config = good(KTLB_CFG_MAX_CPUS < 2 ? 1 : 2);

	(void)unused;
	fake_reset(16, 1, 1);
	fake_start(&config, 0, 1);
	memset(&space, 0, sizeof(space));
	memset(&zero, 0, sizeof(zero));
	ktlb_space_init(&space, 1 << 20);
	return 0;
}

/* Before ktlb_init: what the linker placed. */
static int before_init(void **unused)
{
	(void)unused;
	fake_reset(16, 1, 1);
	memset(&ktlb_sys, 0, sizeof(ktlb_sys));
	ktlb_sys.generation = KTLB_GENERATION_STEP;
	memset(ktlb_cpus, 0, sizeof(ktlb_cpus));
	memset(&space, 0, sizeof(space));
	memset(&zero, 0, sizeof(zero));
	return 0;
}

#define FAILS(statement, sentence) assert_string_equal(FAKE_SENTENCE_OF(statement), sentence)
#define HOT_PATH_CHECKS()            \
	do {                         \
		if (!KTLB_CFG_CHECK) \
			skip();      \
	} while (0)

static void nothing_works_before_init(void **unused)
{
	struct ktlb_space forged = {.root = 1 << 20, .self = &forged};

	(void)unused;
	FAILS(ktlb_cpu_online(0, fake_state(0)), "ktlb_cpu_online: ktlb_init has not run");
	FAILS(ktlb_space_init(&space, 1 << 20), "ktlb_space_init: ktlb_init has not run");
	FAILS(ktlb_flush_page(&zero, 0, 0), "ktlb_flush: ktlb_init has not run");
	FAILS(ktlb_flush_range(&forged, 0, 1, 1 << 16, 0), "ktlb_flush: ktlb_init has not run");
	FAILS(ktlb_flush_space(&zero), "ktlb_flush: ktlb_init has not run");
	FAILS(ktlb_flush_kernel_range(-(uint64_t)4096, 4096, 1 << 16, 0),
	      "ktlb_flush: ktlb_init has not run");
	FAILS(ktlb_space_destroy(&zero), "ktlb_space_destroy: the space is not initialised");
	if (KTLB_CFG_OPT_THIS_CPU_ASID)
		FAILS(ktlb_switch(&zero), "ktlb_switch: the space is not initialised");
	assert_int_equal(ktlb_features(), 0);
	assert_int_equal(ktlb_id_limit(), 0);
}

static void init_looks_at_every_field(void **unused)
{
	struct ktlb_config config;

	(void)unused;
	config = good(0);
	FAILS(ktlb_init(&config), "ktlb_init: cpus must be 1 to KTLB_CFG_MAX_CPUS");
	config = good(KTLB_CFG_MAX_CPUS + 1);
	FAILS(ktlb_init(&config), "ktlb_init: cpus must be 1 to KTLB_CFG_MAX_CPUS");
	assert_int_equal(fake_got, KTLB_CFG_MAX_CPUS + 1);
	assert_int_equal(fake_want, KTLB_CFG_MAX_CPUS);

	config = good(1);
	config.id_limit = 65537;
	FAILS(ktlb_init(&config), "ktlb_init: id_limit is larger than what the hardware has");
	fake_this()->mmfr0 = 0; /* 8 bits */
	config.id_limit = 257;
	FAILS(ktlb_init(&config), "ktlb_init: id_limit is larger than what the hardware has");
	assert_int_equal(fake_got, 257);
	assert_int_equal(fake_want, 256);
	config.id_limit = 256;
	ktlb_init(&config);

	for (uint32_t cpus = 1; cpus <= KTLB_CFG_MAX_CPUS && cpus <= 200; cpus++) {
		config = good(cpus);
		config.id_limit = cpus + 1;
		FAILS(ktlb_init(&config),
		      "ktlb_init: id_limit is too small: cpus + 2 ids are needed");
		assert_int_equal(fake_got, cpus + 1);
		assert_int_equal(fake_want, cpus + 2);
		config.id_limit = cpus + 2;
		ktlb_init(&config);
	}
	if (KTLB_CFG_MAX_CPUS >= 255) { /* more CPUs than 8 bits can serve */
		config = good(255);
		FAILS(ktlb_init(&config),
		      "ktlb_init: id_limit is too small: cpus + 2 ids are needed");
	}

	config = good(1);
	config.kernel_root = 0;
	FAILS(ktlb_init(&config), "ktlb_init: kernel_root must be a table's physical address, "
	                          "aligned to a granule");
	config.kernel_root = FAKE_EMPTY_TABLE | 8;
	FAILS(ktlb_init(&config), "ktlb_init: kernel_root must be a table's physical address, "
	                          "aligned to a granule");
	config.kernel_root = FAKE_EMPTY_TABLE | (uint64_t)1 << 48;
	FAILS(ktlb_init(&config), "ktlb_init: kernel_root must be a table's physical address, "
	                          "aligned to a granule");

	config = good(1);
	config.errata = 1u << 31;
	FAILS(ktlb_init(&config), "ktlb_init: unknown bit in errata or without");
	config = good(1);
	config.without = 1u << 31;
	FAILS(ktlb_init(&config), "ktlb_init: unknown bit in errata or without");
}

static void registers_that_do_not_fit_the_options(void **unused)
{
	struct ktlb_config config = good(1);

	(void)unused;
	fake_this()->tcr ^= (uint64_t)1 << 22;
	FAILS(ktlb_init(&config), "ktlb_cpu_online: TCR_EL1.A1 differs from "
	                          "KTLB_CFG_ARM64_ASID_IN_TTBR1");
	fake_this()->tcr ^= (uint64_t)1 << 22 | (uint64_t)3 << 14;
	FAILS(ktlb_init(&config), "ktlb_cpu_online: TCR_EL1.TG0 or TG1 differs from "
	                          "KTLB_CFG_ARM64_GRANULE_SHIFT");
	fake_this()->tcr ^= (uint64_t)3 << 14 | (uint64_t)1 << 59;
	FAILS(ktlb_init(&config), "ktlb_cpu_online: TCR_EL1.DS differs from KTLB_CFG_ARM64_LPA2");
	fake_this()->tcr ^= (uint64_t)1 << 59;
	ktlb_init(&config);
	/* the same at a CPU that comes later */
	fake_this()->tcr ^= (uint64_t)1 << 22;
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	FAILS(ktlb_cpu_online(0, fake_state(0)), "ktlb_cpu_online: TCR_EL1.A1 differs from "
	                                         "KTLB_CFG_ARM64_ASID_IN_TTBR1");
}

static void cpus_that_cannot_come_online(void **unused)
{
	static struct ktlb_cpu state;
	struct ktlb_config config = good(1);

	(void)unused;
	memset(&state, 0, sizeof(state));
	FAILS(ktlb_cpu_online(KTLB_CFG_MAX_CPUS, &state),
	      "ktlb_cpu_online: CPU number is not below KTLB_CFG_MAX_CPUS");
	FAILS(ktlb_cpu_online(0, fake_state(0)),
	      "ktlb_cpu_online: the state of a CPU must be zero bytes");
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	FAILS(ktlb_cpu_online(0, fake_state(0)),
	      "ktlb_cpu_online: this CPU number is online already");

	start(0);
	memset(&state, 0, sizeof(state));
	fake_this()->irqs_off = 0;
	FAILS(ktlb_cpu_online(0, &state), "ktlb_cpu_online: interrupts must be off");
	FAILS(ktlb_audit(), "ktlb_audit: interrupts must be off");
	fake_this()->irqs_off = 1;
	FAILS(ktlb_cpu_online(0, (struct ktlb_cpu *)(void *)((char *)&state + 8)),
	      "ktlb_cpu_online: the state of a CPU must be aligned to a cache line");
	FAILS(ktlb_cpu_online(0, &ktlb_percpu),
	      "ktlb_cpu_online: the original of ktlb_percpu is nobody's state");

	/* the boot CPU has 16 bits, ranges and hints; this one has less */
	ktlb_init(&config);
	fake_this()->mmfr0 = 0;
	FAILS(ktlb_cpu_online(0, &state),
	      "ktlb_cpu_online: this CPU has fewer id bits than ktlb_config.id_limit needs");
	fake_this()->mmfr0 = 2 << 4;
	fake_this()->isar0 = 0;
	FAILS(ktlb_cpu_online(0, &state),
	      "ktlb_cpu_online: this CPU lacks TLB features that the boot CPU has");
	assert_int_equal(fake_got & ~(uint32_t)KTLB_FEATURE_CNP, KTLB_FEATURE_TTL);
	assert_int_equal(fake_want & ~(uint32_t)KTLB_FEATURE_CNP,
	                 KTLB_FEATURE_TTL | KTLB_FEATURE_TLBI_RANGE);
	fake_this()->isar0 = (uint64_t)2 << 56;
	fake_this()->mmfr2 = 1;
	FAILS(ktlb_cpu_online(0, &state),
	      "ktlb_cpu_online: this CPU lacks TLB features that the boot CPU has");

	/* fewer bits are fine if the limit does not need them, and features that nobody uses */
	config.id_limit = 256;
	config.without = KTLB_FEATURE_TTL;
	fake_this()->mmfr0 = 2 << 4;
	fake_this()->mmfr2 = (uint64_t)1 << 48 | 1;
	ktlb_init(&config);
	fake_this()->mmfr0 = 0;
	fake_this()->mmfr2 = 1;
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	ktlb_cpu_online(0, fake_state(0));
}

static void a_cpu_that_does_not_know_its_number(void **unused)
{
	static struct ktlb_cpu state;
	struct ktlb_config config = good(1);

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2 ||
	    (KTLB_CFG_CPU_ID == KTLB_OWN && !KTLB_CFG_OPT_CPU_ID_IN_THREAD))
		skip(); /* the number is the state's own then */
	memset(&state, 0, sizeof(state));
	ktlb_init(&config);
	if (KTLB_CFG_PERCPU == KTLB_KERNEL)
		FAILS(ktlb_cpu_online(0, &state), "ktlb_cpu_online: ktlb_port_this_cpu() does not "
		                                  "answer this CPU's state");
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	FAILS(ktlb_cpu_online(1, fake_state(0)),
	      "ktlb_cpu_online: ktlb_cpu_id() does not answer this CPU's number");
	assert_int_equal(fake_got, 0);
	assert_int_equal(fake_want, 1);
}

static void too_many_cpus(void **unused)
{
	struct ktlb_config config = good(1);

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2)
		skip();
	memset(fake_state(0), 0, sizeof(struct ktlb_cpu));
	memset(fake_state(1), 0, sizeof(struct ktlb_cpu));
	ktlb_init(&config);
	ktlb_cpu_online(0, fake_state(0));
	fake_run_on(1);
	FAILS(ktlb_cpu_online(1, fake_state(1)),
	      "ktlb_cpu_online: more CPUs than ktlb_config.cpus");
}

static void spaces_before_and_after_their_life(void **unused)
{
	(void)unused;
	FAILS(ktlb_space_init(&space, 1 << 20), "ktlb_space_init: the space is in use");
	FAILS(ktlb_space_init(&zero, (uint64_t)1 << 48),
	      "ktlb_space_init: root has bits that ktlb or the architecture needs clear");
	FAILS(ktlb_space_init(&zero, 0x100001), /* CnP */
	      "ktlb_space_init: root has bits that ktlb or the architecture needs clear");
	FAILS(ktlb_switch(&zero), "ktlb_switch: the space is not initialised");
	FAILS(ktlb_flush_page(&zero, 0, 0), "ktlb_flush: the space is not initialised");
	FAILS(ktlb_flush_range(&zero, 0, 1, 1 << 16, 0),
	      "ktlb_flush: the space is not initialised");
	FAILS(ktlb_flush_space(&zero), "ktlb_flush: the space is not initialised");
	FAILS(ktlb_space_destroy(&zero), "ktlb_space_destroy: the space is not initialised");

	ktlb_switch(&space);
	ktlb_space_destroy(&space);
	FAILS(ktlb_switch(&space), "ktlb_switch: the space is not initialised");
	FAILS(ktlb_flush_page(&space, 0, 0), "ktlb_flush: the space is not initialised");
	FAILS(ktlb_space_destroy(&space), "ktlb_space_destroy: the space is not initialised");

	/* memory that somebody has filled, and a space that somebody has moved */
	HOT_PATH_CHECKS();
	memset(&zero, 0x6b, sizeof(zero));
	FAILS(ktlb_flush_page(&zero, 0, 0), "ktlb_flush: the space is not initialised");
	ktlb_space_init(&space, 1 << 20);
	ktlb_switch(&space);
	zero = space;
	FAILS(ktlb_flush_space(&zero), "ktlb_flush: the space is not initialised");
}

static void a_space_that_somebody_has_loaded(void **unused)
{
	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 2)
		skip();
	fake_run_on(1);
	ktlb_switch(&space);
	fake_run_on(0);
	FAILS(ktlb_space_destroy(&space), "ktlb_space_destroy: another CPU has the space loaded");
	assert_int_equal(fake_got, 1);
	fake_run_on(1);
	ktlb_enter_lazy();
	fake_run_on(0);
	ktlb_space_destroy(&space);
}

static void switches_in_the_wrong_context(void **unused)
{
	(void)unused;
	HOT_PATH_CHECKS();
	fake_this()->irqs_off = 0;
	FAILS(ktlb_switch(&space), "ktlb_switch: interrupts must be off");
	FAILS(ktlb_enter_lazy(), "ktlb_enter_lazy: interrupts must be off");
	assert_int_equal(fake_events, 0);
}

/* A CPU that never came online: its per-CPU base is 0, and leads to the originals. */
static void switches_on_an_unknown_cpu(void **unused)
{
	uint32_t cpu = KTLB_CFG_MAX_CPUS - 1;

	(void)unused;
	if (KTLB_CFG_MAX_CPUS < 3)
		skip();
	/* Both options switched back: the number comes from the blank state, and is CPU 0's. */
	if (!KTLB_CFG_OPT_THIS_CPU_ASID && KTLB_CFG_CPU_ID == KTLB_OWN &&
	    !KTLB_CFG_OPT_CPU_ID_IN_THREAD)
		skip();
	fake_run_on(cpu);
	if (!KTLB_CFG_OPT_THIS_CPU_ASID)
		HOT_PATH_CHECKS();
	FAILS(ktlb_switch(&space), "ktlb_switch: this CPU is not online");
	if (KTLB_CFG_CHECK)
		FAILS(ktlb_enter_lazy(), "ktlb_enter_lazy: this CPU is not online");
}

static void flushes_with_wrong_arguments(void **unused)
{
	const uint64_t page = (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT;
	const uint64_t kernel = -(uint64_t)1 << 40;

	(void)unused;
	HOT_PATH_CHECKS();
	FAILS(ktlb_flush_page(&space, 0, 2), "ktlb_flush: unknown flag");
	FAILS(ktlb_flush_range(&space, 0, 1, page, 1u << 31), "ktlb_flush: unknown flag");
	FAILS(ktlb_flush_kernel_range(kernel, 1, page, 6), "ktlb_flush: unknown flag");

#define OTHER_HALF \
	"ktlb_flush: an address is not in the half of the address space that it should be in"
	FAILS(ktlb_flush_page(&space, kernel, 0), OTHER_HALF);
	FAILS(ktlb_flush_page(&space, (uint64_t)0x5a << 56, 0), OTHER_HALF); /* a tag */
	FAILS(ktlb_flush_range(&space, kernel, 1, page, 0), OTHER_HALF);
	FAILS(ktlb_flush_range(&space, 0, ((uint64_t)1 << 55) + 1, page, 0), OTHER_HALF);
	FAILS(ktlb_flush_range(&space, 0x1000, -(uint64_t)1, page, 0),
	      "ktlb_flush: the range wraps around the end of the address space");
	FAILS(ktlb_flush_kernel_range(0x1000, page, page, 0), OTHER_HALF);
	FAILS(ktlb_flush_kernel_range(((uint64_t)0x1ff << 55) - 1, 2, page, 0), OTHER_HALF);
	FAILS(ktlb_flush_kernel_range(kernel, -kernel + 1, page, 0),
	      "ktlb_flush: the range wraps around the end of the address space");

#define LEAF_SIZE "ktlb_flush: leaf_size must be 0 or a power of two, a granule or more"
	FAILS(ktlb_flush_range(&space, 0, 1, page / 2, 0), LEAF_SIZE);
	FAILS(ktlb_flush_range(&space, 0, 1, page + 1, 0), LEAF_SIZE);
	FAILS(ktlb_flush_range(&space, 0, 1, 3 * page, 0), LEAF_SIZE);
	FAILS(ktlb_flush_kernel_range(kernel, 1, 5, 0), LEAF_SIZE);
	assert_int_equal(fake_events, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_works_before_init, before_init),
		cmocka_unit_test_setup(init_looks_at_every_field, start),
		cmocka_unit_test_setup(registers_that_do_not_fit_the_options, start),
		cmocka_unit_test_setup(cpus_that_cannot_come_online, start),
		cmocka_unit_test_setup(a_cpu_that_does_not_know_its_number, start),
		cmocka_unit_test_setup(too_many_cpus, start),
		cmocka_unit_test_setup(spaces_before_and_after_their_life, start),
		cmocka_unit_test_setup(a_space_that_somebody_has_loaded, start),
		cmocka_unit_test_setup(switches_in_the_wrong_context, start),
		cmocka_unit_test_setup(switches_on_an_unknown_cpu, start),
		cmocka_unit_test_setup(flushes_with_wrong_arguments, start),
	};

	return cmocka_run_group_tests_name("misuse", tests, 0, 0);
}
