/* SPDX-License-Identifier: MIT */
/*
 * What a kernel runs once at boot, to see that its port is right. Four questions, a verdict a line:
 *
 *   numbers      does each CPU know its number, and its state?
 *   interrupts   does the interrupt of ktlb_port_send_ipi reach each CPU, and is it answered?
 *   page         is a page of the kernel's half that changes seen by every CPU, and the former one by none?
 *   ids          do spaces that run on every CPU keep ids of their own?
 *
 * A fault names the CPU. After one that would make a flush wait for ever the rest is not run.
 */
#include "ktlb_text.h"

/* A fault that is allowed after an entry became valid, and more, for a hypervisor's sake. */
#define LOOKS 100

struct selftest {
	const struct ktlb_selftest_ops *ops;
	uint32_t cpus;
	int failed, stop;
};

static uint32_t next_online(uint32_t cpu)
{
	while (cpu < KTLB_CFG_MAX_CPUS &&
	       !(ktlb_load_relaxed(&ktlb_online.word[ktlb_cpuset_word(cpu)]) >> cpu % 64 & 1))
		cpu++;
	return cpu;
}

#define FOR_EACH_ONLINE(cpu) \
	for ((cpu) = next_online(0); (cpu) < KTLB_CFG_MAX_CPUS; (cpu) = next_online((cpu) + 1))

static void say(struct selftest *test, struct ktlb_text *text)
{
	test->ops->print(test->ops->arg, text->line);
}

/* "ktlb selftest: TOPIC: FAILED: CPU 3 WHY"; with a number after it unless it is `none`. */
#define NO_NUMBER (~(uint64_t)0)

static void fault(struct selftest *test, const char *topic, uint32_t cpu, const char *why,
                  uint64_t number)
{
	struct ktlb_text text;

	ktlb_text_begin(&text, "ktlb selftest: ");
	ktlb_text_add(&text, topic);
	ktlb_text_add(&text, ": FAILED: CPU ");
	ktlb_text_number(&text, cpu, 10);
	ktlb_text_add(&text, why);
	if (number != NO_NUMBER)
		ktlb_text_number(&text, number, 10);
	say(test, &text);
	test->failed++;
}

/* A question without a fault: `before` is how many there were. */
static void verdict(struct selftest *test, const char *topic, int before, const char *what)
{
	struct ktlb_text text;

	if (test->failed != before)
		return;
	ktlb_text_begin(&text, "ktlb selftest: ");
	ktlb_text_add(&text, topic);
	ktlb_text_add(&text, ": ");
	ktlb_text_add(&text, what);
	ktlb_text_number(&text, test->cpus, 10);
	ktlb_text_add(&text, " CPUs");
	say(test, &text);
}

static void run_on(struct selftest *test, uint32_t cpu, void (*function)(void *data), void *data)
{
	test->ops->run_on(test->ops->arg, cpu, function, data);
}

/* ---- numbers ----------------------------------------------------------------------------------*/

struct who {
	const struct ktlb_selftest_ops *ops;
	const struct ktlb_cpu *state;
	uint32_t id, hardware;
};

static void who_am_i(void *data)
{
	struct who *who = data;

	who->id = ktlb_cpu_id();
	who->state = ktlb_cpu_self();
	who->hardware = who->ops->hardware_cpu ? who->ops->hardware_cpu(who->ops->arg) : who->id;
}

static void test_numbers(struct selftest *test)
{
	int before = test->failed;
	uint32_t cpu;

	FOR_EACH_ONLINE(cpu)
	{
		struct who who = {.ops = test->ops};

		test->cpus++;
		run_on(test, cpu, who_am_i, &who);
		if (who.hardware != cpu)
			fault(test, "numbers", cpu, " is, as the hardware says, CPU ",
			      who.hardware);
		if (who.id != cpu)
			fault(test, "numbers", cpu, " believes to be CPU ", who.id);
		if (who.state != ktlb_load_dependency(&ktlb_cpus[cpu]))
			fault(test, "numbers", cpu, " finds another CPU's state", NO_NUMBER);
	}
	test->stop |= test->failed != before;
	verdict(test, "numbers", before, "ok, ");
}

/* ---- interrupts -------------------------------------------------------------------------------*/

static void poll(void *unused)
{
	(void)unused;
	ktlb_poll();
}

static int is_answered_in_time(struct selftest *test, uint32_t cpu)
{
	const struct ktlb_selftest_ops *ops = test->ops;
	uint64_t began = ops->clock(ops->arg);
	struct ktlb_ping ping = ktlb_shootdown_ping(cpu);

	while (!ktlb_shootdown_pong(&ping)) {
		if (ops->clock(ops->arg) - began > ops->patience)
			return 0;
		ktlb_relax();
		ktlb_poll();
	}
	return 1;
}

/* From this CPU to each; whoever does not answer is made to, by another way, so that nothing is left. */
static void test_interrupts(struct selftest *test)
{
	int before = test->failed;
	uint32_t cpu;

	if (!KTLB_ARCH_INTERRUPTS) {
		verdict(test, "interrupts", before, "none needed, the hardware tells ");
		return;
	}
	FOR_EACH_ONLINE(cpu)
	{
		if (is_answered_in_time(test, cpu))
			continue;
		fault(test, "interrupts", cpu, " does not answer an interrupt", NO_NUMBER);
		run_on(test, cpu, poll, 0);
	}
	test->stop |= test->failed != before;
	verdict(test, "interrupts", before, "ok, round trips to ");
}

/* ---- a page -----------------------------------------------------------------------------------*/

struct sight {
	const struct ktlb_selftest_ops *ops;
	int want, seen;
};

static void look(void *data)
{
	struct sight *sight = data;
	uint32_t looks = 0;

	do
		sight->seen = sight->ops->look(sight->ops->arg);
	while (sight->seen == KTLB_SELFTEST_NOTHING && sight->want != sight->seen &&
	       ++looks < LOOKS);
}

static void all_see(struct selftest *test, int want)
{
	uint32_t cpu;

	FOR_EACH_ONLINE(cpu)
	{
		struct sight sight = {test->ops, want, 0};

		run_on(test, cpu, look, &sight);
		if (sight.seen == want)
			continue;
		fault(test, "page", cpu,
		      sight.seen == KTLB_SELFTEST_NOTHING ? " does not see the page"
		      : want == KTLB_SELFTEST_NOTHING     ? " still sees a page that has gone"
		                                          : " sees another page",
		      NO_NUMBER);
	}
}

/* Valid, invalid, flushed, valid: the order that every architecture allows. */
static void test_page(struct selftest *test)
{
	const struct ktlb_selftest_ops *ops = test->ops;
	uint64_t size = (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT;
	int before = test->failed;

	for (int frame = 0; frame < 2; frame++) {
		ops->show(ops->arg, frame);
		ktlb_publish();
		all_see(test, frame);
		ops->show(ops->arg, KTLB_SELFTEST_NOTHING);
		ktlb_flush_kernel_range(ops->va, size, size, KTLB_LEAF_ONLY);
		all_see(test, KTLB_SELFTEST_NOTHING);
	}
	verdict(test, "page", before, "ok, a change is seen by ");
}

/* ---- ids --------------------------------------------------------------------------------------*/

struct tour {
	const struct ktlb_selftest_ops *ops;
	const char *complaint;
};

/* This CPU runs each of the spaces, and ends in none. */
static void run_all_spaces(void *data)
{
	struct tour *tour = data;
	const struct ktlb_selftest_ops *ops = tour->ops;

	for (uint32_t i = 0; i < ops->spaces && !tour->complaint; i++) {
		ktlb_switch(&ops->space[i]);
		tour->complaint = ktlb_audit();
	}
	ktlb_enter_lazy();
}

static void no_id_twice(struct selftest *test, uint32_t cpu)
{
	const struct ktlb_selftest_ops *ops = test->ops;

	for (uint32_t i = 0; i < ops->spaces; i++)
		for (uint32_t j = 0; j < i; j++)
			if (ktlb_space_id(&ops->space[i]) != 0 &&
			    ktlb_space_id(&ops->space[i]) == ktlb_space_id(&ops->space[j]))
				fault(test, "ids", cpu, " gave one id to two spaces: ",
				      ktlb_space_id(&ops->space[i]));
}

static void test_ids(struct selftest *test)
{
	int before = test->failed;
	uint32_t cpu;

	FOR_EACH_ONLINE(cpu)
	{
		struct tour tour = {test->ops, 0};

		run_on(test, cpu, run_all_spaces, &tour);
		if (tour.complaint) {
			fault(test, "ids", cpu, ": the audit complains:", NO_NUMBER);
			test->ops->print(test->ops->arg, tour.complaint);
		}
		no_id_twice(test, cpu);
	}
	verdict(test, "ids", before, "ok, spaces have run on ");
}

int ktlb_selftest(const struct ktlb_selftest_ops *ops)
{
	struct selftest test = {.ops = ops};

	KTLB_REQUIRE(ktlb_sys.id_limit != 0, "ktlb_selftest: ktlb_init has not run", 0, 0);
	test_numbers(&test);
	if (!test.stop)
		test_interrupts(&test);
	if (test.stop) {
		ops->print(ops->arg, "ktlb selftest: the rest is not run: a flush might never end");
		return test.failed;
	}
	test_page(&test);
	test_ids(&test);
	return test.failed;
}
