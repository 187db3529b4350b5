/* SPDX-License-Identifier: 0BSD */
/*
 * Stage 1, one CPU: two address spaces, the switch between them, lazy mode, and the flush after a
 * change. Of ktlb a kernel needs no more on its first day.
 */
#include <machine.h>

static struct tables tables[2];
static struct ktlb_space space[2];
static const struct frame frame[3] = {{{11}}, {{22}}, {{33}}};

void kernel_main(void)
{
	port_start(1, 0);
	port_start_cpu(0);
	for (uint32_t i = 0; i < 2; i++) {
		ktlb_space_init(&space[i], tables_init(&tables[i]));
		map(&tables[i], &frame[i]);
	}

	for (uint32_t i = 0; i < 2; i++) {
		ktlb_switch(&space[i]);
		expect(look(), frame[i].word[0], "a space shows what is another's");
	}
	remap(&space[1], &tables[1], &frame[2]);
	expect(look(), 33, "the old page is still there after its flush");

	ktlb_switch(&space[0]);
	expect(look(), 11, "a space shows what is another's");
	remap(&space[1], &tables[1], &frame[1]); /* one that is not loaded */
	ktlb_switch(&space[1]);
	expect(look(), 22, "a space that was not loaded shows its old page");

	ktlb_enter_lazy(); /* nothing to run */
	ktlb_space_destroy(&space[0]);
	ktlb_space_destroy(&space[1]);
	machine_print("one_cpu: ok\n");
	machine_exit(0);
}

void kernel_cpu_1(void)
{
	machine_exit(1); /* nobody has started it */
}
