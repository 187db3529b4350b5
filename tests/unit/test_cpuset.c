/* SPDX-License-Identifier: MIT */
/*
 * Sets of CPUs, against a plain array of flags. Built once for each KTLB_CFG_MAX_CPUS that has an
 * edge: 1, 63, 64, 65, 256, 1024.
 */
#include "unit.h"

#include <ktlb/cpuset.h>

static struct ktlb_cpuset set;
static unsigned char model[KTLB_CFG_MAX_CPUS];

static int empty(void **unused)
{
	(void)unused;
	memset(&set, 0, sizeof(set));
	memset(model, 0, sizeof(model));
	return 0;
}

/* Each way of looking at the set says what the array says. */
static void same_as_model(const struct ktlb_cpuset *s)
{
	uint32_t cpu, expected = 0;

	for (cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++)
		assert_int_equal(ktlb_cpuset_has(s, cpu), model[cpu]);
	ktlb_cpuset_for_each(cpu, s)
	{
		while (expected < cpu)
			assert_int_equal(model[expected++], 0);
		assert_int_equal(model[expected++], 1);
	}
	while (expected < KTLB_CFG_MAX_CPUS)
		assert_int_equal(model[expected++], 0);
	assert_int_equal(ktlb_cpuset_next(s, KTLB_CFG_MAX_CPUS), KTLB_CFG_MAX_CPUS);
}

static void an_empty_set_has_no_member(void **unused)
{
	(void)unused;
	same_as_model(&set);
	assert_int_equal(ktlb_cpuset_next(&set, 0), KTLB_CFG_MAX_CPUS);
}

static void each_cpu_alone(void **unused)
{
	(void)unused;
	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++) {
		empty(0);
		ktlb_cpuset_add(&set, cpu);
		model[cpu] = 1;
		same_as_model(&set);
		assert_int_equal(ktlb_cpuset_next(&set, cpu), cpu);
		assert_int_equal(ktlb_cpuset_next(&set, cpu + 1), KTLB_CFG_MAX_CPUS);
	}
}

static void all_cpus_then_one_less(void **unused)
{
	(void)unused;
	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu++) {
		ktlb_cpuset_add(&set, cpu);
		ktlb_cpuset_add(&set, cpu); /* twice is once */
		model[cpu] = 1;
	}
	same_as_model(&set);
	for (uint32_t cpu = 0; cpu < KTLB_CFG_MAX_CPUS; cpu += 7) {
		ktlb_cpuset_remove(&set, cpu);
		ktlb_cpuset_remove(&set, cpu);
		model[cpu] = 0;
		same_as_model(&set);
	}
}

static void sparse_numbers(void **unused)
{
	struct ktlb_cpuset copy;

	(void)unused;
	srand(1);
	for (int round = 0; round < 200; round++) {
		uint32_t cpu = (uint32_t)rand() % KTLB_CFG_MAX_CPUS;

		if (rand() & 1) {
			ktlb_cpuset_add(&set, cpu);
			model[cpu] = 1;
		} else {
			ktlb_cpuset_remove(&set, cpu);
			model[cpu] = 0;
		}
		memset(&copy, 0xff, sizeof(copy));
		ktlb_cpuset_copy(&copy, &set);
		same_as_model(&copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_set_has_no_member, empty),
		cmocka_unit_test_setup(each_cpu_alone, empty),
		cmocka_unit_test_setup(all_cpus_then_one_less, empty),
		cmocka_unit_test_setup(sparse_numbers, empty),
	};

	return cmocka_run_group_tests_name("cpuset", tests, 0, 0);
}
