/* SPDX-License-Identifier: MIT */
/*
 * What flushes cost here, measured: the numbers for the planner. Only with a clock (KTLB_CFG_CLOCK).
 *
 * A flush is paid for twice: by its instructions, and by what is looked up again afterwards. The second
 * is what the caller's memory is for: it is read when the TLB has it, and again when it has been
 * emptied. Of several rounds the cheapest counts, since whatever disturbs a measurement adds to it.
 */
#include "ktlb_priv.h"

#if KTLB_CFG_CLOCK

#define ROUNDS 16
#define BATCH \
	64 /* invalidations between two looks at the clock; so costs are in 64ths of its unit */

#define SATURATED(x) ((x) > ~(uint32_t)0 ? ~(uint32_t)0 : (uint32_t)(x))

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How long it takes to read a byte of each page. */
static uint64_t time_to_read(const void *memory, uint64_t size)
{
	const uint8_t *byte = memory;
	uint64_t before = ktlb_port_clock();

	for (uint64_t i = 0; i < size; i += (uint64_t)1 << KTLB_ARCH_PAGE_SHIFT)
		(void)ktlb_load_relaxed(&byte[i]);
	return ktlb_port_clock() - before;
}

static uint64_t time_of_pages(const void *memory)
{
	uint64_t before = ktlb_port_clock();

	ktlb_arch_sample_pages((uintptr_t)memory, BATCH);
	return ktlb_port_clock() - before;
}

static uint64_t time_of_full(void)
{
	uint64_t before = ktlb_port_clock();

	ktlb_arch_sample_full();
	return ktlb_port_clock() - before;
}

struct ktlb_costs ktlb_calibrate(const void *memory, uint64_t size)
{
	uint64_t page = ~(uint64_t)0, full = page, warm = page, cold = page;
	struct ktlb_costs costs;

	KTLB_REQUIRE(ktlb_insn_irqs_off(), "ktlb_calibrate: interrupts must be off", 0, 0);
	KTLB_REQUIRE(ktlb_cpu_self()->magic == KTLB_CPU_MAGIC,
	             "ktlb_calibrate: this CPU is not online", 0, 0);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		page = least(page, time_of_pages(memory));
		full = least(full, time_of_full());
		ktlb_arch_flush_for_refill(ktlb_sys.features);
		cold = least(cold, time_to_read(memory, size));
		warm = least(warm, time_to_read(memory, size));
	}
	costs.page = SATURATED(page);
	costs.full = SATURATED(full * BATCH);
	costs.refill = cold > warm ? SATURATED((cold - warm) * BATCH) : 0;
	ktlb_store_relaxed(&ktlb_sys.full_flush_strides,
	                   ktlb_strides(costs, ktlb_sys.full_flush_strides));
	return costs;
}

#endif
