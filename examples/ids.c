/* SPDX-License-Identifier: 0BSD */
/*
 * Stage 3, ids: more spaces than one, on two CPUs, whose translations stay in the TLB side by side
 * under ASIDs or PCIDs. The kernel does nothing for it but to switch; what it gains the counters tell.
 *
 * arm64 is given 6 ids for 8 spaces here, so that they run out (a rollover) all the time. A kernel
 * leaves id_limit at 0 and has 65536. On x86-64 ktlb uses PCIDs where the CPU has them.
 */
#include <machine.h>

#define SPACES 8u
#define IDS    6u
#define ROUNDS 1000u

static struct tables tables[SPACES];
static struct ktlb_space space[SPACES];
static struct frame frame[SPACES];
static uint32_t arrived, done;

/* On both CPUs: now and then in the same space, mostly not. */
static void run(uint32_t cpu)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint32_t i = (round * (cpu + 1)) % SPACES;
		uint64_t saved = ktlb_port_irq_save();

		ktlb_switch(&space[i]);
		ktlb_port_irq_restore(saved);
		expect(look(), 100 + i, "a space shows what is another's");
		if (round % 16 == 0) /* the other CPU may be using it */
			ktlb_flush_page(&space[i], USER_VA, KTLB_LEAF_ONLY);
	}
	(void)ktlb_port_irq_save();
	ktlb_enter_lazy();
}

static void print(void *arg, const char *line)
{
	(void)arg;
	machine_print("ids: ");
	machine_print(line);
	machine_print("\n");
}

void kernel_main(void)
{
	static struct ktlb_stats stats;

	port_start(CPUS, IDS);
	port_start_cpu(0);
	for (uint32_t i = 0; i < SPACES; i++) {
		frame[i].word[0] = 100 + i;
		ktlb_space_init(&space[i], tables_init(&tables[i]));
		map(&tables[i], &frame[i]);
	}
	machine_start_cpu();
	while (!ktlb_load_acquire(&arrived))
		ktlb_relax();
	machine_interrupts_on();
	run(0);
	while (!ktlb_load_acquire(&done)) {
		ktlb_poll();
		ktlb_relax();
	}
	expect(ktlb_audit() != 0, 0, "ktlb_audit");
	for (uint32_t i = 0; i < SPACES; i++)
		ktlb_space_destroy(&space[i]);
	ktlb_stats_print(print, 0);
	ktlb_stats_add(&stats);
	expect(stats.count[KTLB_COUNT_ID_NEW] >= SPACES, 1, "spaces have run without ids");
	machine_print("ids: ok\n");
	machine_exit(0);
}

void kernel_cpu_1(void)
{
	port_start_cpu(1);
	ktlb_store_release(&arrived, 1u);
	machine_interrupts_on();
	run(1);
	ktlb_store_release(&done, 1u);
	for (;;) { /* interrupts are off: lazily in the last space, and there for whoever asks */
		ktlb_poll();
		ktlb_relax();
	}
}
