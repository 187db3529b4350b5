/* SPDX-License-Identifier: 0BSD */
/*
 * Stage 2, shootdown: CPU 0 changes the page that CPU 1 has just used, again and again. When
 * ktlb_flush_page has returned, CPU 1 does not use the old frame any more.
 */
#include <machine.h>

#define ROUNDS 1000u

static struct tables tables;
static struct ktlb_space space;
static const struct frame frame[2] = {{{11}}, {{22}}};

/* Whose turn it is: even, CPU 0 changes the page; odd, CPU 1 looks at it. */
static uint32_t turn;

void kernel_main(void)
{
	port_start(CPUS, 0);
	port_start_cpu(0);
	ktlb_space_init(&space, tables_init(&tables));
	map(&tables, &frame[0]);
	ktlb_switch(&space);
	machine_start_cpu();

	for (uint32_t round = 0; round < ROUNDS; round++) {
		/* Interrupts are off here: who waits must poll, or two that wait do so for ever. */
		while (ktlb_load_acquire(&turn) != 2 * round) {
			ktlb_poll();
			ktlb_relax();
		}
		expect(look(), frame[round % 2].word[0], "CPU 0 sees an old page");
		remap(&space, &tables, &frame[(round + 1) % 2]);
		ktlb_store_release(&turn, 2 * round + 1);
	}
	while (ktlb_load_acquire(&turn) != 2 * ROUNDS)
		ktlb_relax();
	machine_print("shootdown: ok\n");
	machine_exit(0);
}

void kernel_cpu_1(void)
{
	port_start_cpu(1);
	ktlb_switch(&space);
	machine_interrupts_on(); /* from now on CPU 0's flushes interrupt this one (x86-64) */
	for (uint32_t round = 0;; round++) {
		while (ktlb_load_acquire(&turn) != 2 * round + 1)
			ktlb_relax();
		expect(look(), frame[(round + 1) % 2].word[0], "CPU 1 sees an old page");
		ktlb_store_release(&turn, 2 * round + 2);
	}
}
