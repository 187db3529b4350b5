/* SPDX-License-Identifier: MIT */
/*
 * Nothing may hang unnoticed. Each CPU notes the time at each of its ticks and looks at the notes
 * of all others: one that is silent for options.silent seconds is named, and the run has failed. A
 * CPU that ticks but gets nowhere is caught by the deadline of the whole run.
 *
 * The patience has to be great: in an emulator a CPU is a thread of the host, which may not run for
 * seconds. With one CPU nobody is left to look; tools/run-qemu gives up after its own time.
 */
#include <arch.h>

static uint64_t deadline; /* on arch_clock; 0: not yet started */
static const char *task = "the start";
static uint32_t reported; /* by the first CPU to notice */

void watchdog_task(const char *name)
{
	ktlb_store_release(&task, name);
}

void watchdog_start(void)
{
	ktlb_store_release(&deadline, arch_clock() + options.deadline * arch_clock_hz());
}

static uint64_t silence(uint64_t now, const struct cpu *of)
{
	uint64_t beat = ktlb_load_relaxed(&of->heartbeat);

	/* It may have ticked since `now` was read. */
	return beat < now ? now - beat : 0;
}

static void print_cpus(uint64_t now)
{
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		struct cpu *of = percpu_of(cpu, this_cpu);

		kprintf("watchdog: CPU %u: thread %u (%s), last tick %lu ms ago\n", cpu,
		        ktlb_load_relaxed(&of->thread_number), ktlb_load_relaxed(&of->thread_name),
		        silence(now, of) * 1000 / arch_clock_hz());
	}
}

void watchdog_tick(void)
{
	uint64_t now = arch_clock(), end = ktlb_load_acquire(&deadline);

	ktlb_store_relaxed(&ktlb_this_cpu(this_cpu)->heartbeat, now);
	if (!end)
		return;
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		struct cpu *of = percpu_of(cpu, this_cpu);

		if (!sched_cpu_is_off(cpu) && silence(now, of) >= options.silent * arch_clock_hz())
			panic("watchdog: CPU %u is silent since %lu s, it last ran thread %u (%s); "
			      "busy with: %s",
			      cpu, silence(now, of) / arch_clock_hz(),
			      ktlb_load_relaxed(&of->thread_number),
			      ktlb_load_relaxed(&of->thread_name), ktlb_load_acquire(&task));
	}
	if (now >= end && !__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED)) {
		print_cpus(now);
		panic("watchdog: not done after %lu s; busy with: %s", options.deadline,
		      ktlb_load_acquire(&task));
	}
}

static void hang(void *arg)
{
	(void)arg;
	arch_irq_save();
	for (;;)
		ktlb_relax();
}

void watchdog_hang(void)
{
	struct latch never = {.missing = 1};

	watchdog_task("hanging a CPU on purpose");
	kthread_create("hang", hang, NULL, (int32_t)cpu_count - 1);
	latch_wait(&never);
	panic("a latch opened by itself");
}
