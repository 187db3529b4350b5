/* SPDX-License-Identifier: 0BSD */
/*
 * ktlb's port to the examples' arm64 machine, and what little machine there is: a PL011, PSCI, and
 * QEMU's semihosting for the exit.
 */
#include <machine.h>

/* ---- the three duties -------------------------------------------------------------------------*/

/* Print, and stop: the caller has broken the contract. */
void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	(void)got;
	(void)want;
	machine_print(sentence);
	machine_print("\n");
	machine_exit(1);
}

uint64_t ktlb_port_irq_save(void)
{
	uint64_t daif;

	__asm__ volatile("mrs %0, daif\n\tmsr daifset, #3" : "=r"(daif) : : "memory");
	return daif;
}

void ktlb_port_irq_restore(uint64_t saved)
{
	__asm__ volatile("msr daif, %0" : : "r"(saved) : "memory");
}

/* ---- the start --------------------------------------------------------------------------------*/

extern uint64_t empty_table[512];

void port_start(uint32_t cpus, uint32_t id_limit)
{
	struct ktlb_config config = {0};

	config.cpus = cpus;
	config.id_limit = id_limit; /* 0: all that the hardware has */
	config.kernel_root = physical(empty_table);
	ktlb_init(&config);
}

/* SP_EL0 points to the descriptor of the running thread, which begins with a struct ktlb_thread. */
void port_start_cpu(uint32_t cpu)
{
	static struct ktlb_cpu state[CPUS];
	static struct ktlb_thread thread[CPUS];

	thread[cpu].cpu = cpu;
	__asm__ volatile("msr sp_el0, %0" : : "r"(&thread[cpu]) : "memory");
	ktlb_cpu_online(cpu, &state[cpu]);
}

/* ---- the machine ------------------------------------------------------------------------------*/

void machine_print(const char *text)
{
	while (*text)
		*(volatile uint32_t *)(uintptr_t)(LINEAR + 0x09000000) = (uint8_t)*text++;
}

/* Semihosting: SYS_EXIT with "application exit" and a status. */
void machine_exit(int failed)
{
	uint64_t block[2] = {0x20026, failed ? 1 : 0};
	register uint64_t x0 __asm__("x0") = 0x18;
	register uint64_t x1 __asm__("x1") = (uint64_t)(uintptr_t)block;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	for (;;)
		ktlb_relax();
}

void machine_interrupts_on(void)
{
	__asm__ volatile("msr daifclr, #3" : : : "memory");
}

void machine_interrupts_off(void)
{
	__asm__ volatile("msr daifset, #3" : : : "memory");
}

void machine_fault(void);
void machine_fault(void)
{
	machine_print("FAILED: an exception\n");
	machine_exit(1);
}

/* From boot.S, on each CPU. */
void machine_main(uint32_t cpu);
void machine_main(uint32_t cpu)
{
	if (cpu == 0)
		kernel_main();
	kernel_cpu_1();
}

/* PSCI's CPU_ON, by HVC. DSB: what the new CPU will read is in memory, as HVC orders nothing. */
void machine_start_cpu(void)
{
	extern const char start_cpu[];
	register uint64_t x0 __asm__("x0") = 0xc4000003;
	register uint64_t x1 __asm__("x1") = 1;
	register uint64_t x2 __asm__("x2") = physical(start_cpu);
	register uint64_t x3 __asm__("x3") = 0;

	__asm__ volatile("dsb ish\n\thvc #0"
	                 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
	                 :
	                 : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
	                   "x15", "x16", "x17", "memory");
	expect(x0, 0, "PSCI does not start CPU 1");
}
