/* SPDX-License-Identifier: 0BSD */
/*
 * ktlb's port to the examples' x86-64 machine, and what little machine there is: QEMU's debug
 * console and exit port, one interrupt by the local APIC, the start of CPU 1.
 */
#include <machine.h>

/* ---- the four duties --------------------------------------------------------------------------*/

/* Print, and stop: the caller has broken the contract. */
void ktlb_port_fail(const char *sentence, uint64_t got, uint64_t want)
{
	(void)got;
	(void)want;
	machine_print(sentence);
	machine_print("\n");
	machine_exit(1);
}

/* RFLAGS.IF is all that is needed to restore. */
uint64_t ktlb_port_irq_save(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq\n\tpop %0\n\tcli" : "=r"(flags) : : "memory");
	return flags & 0x200;
}

void ktlb_port_irq_restore(uint64_t saved)
{
	if (saved)
		machine_interrupts_on();
}

#define APIC_EOI          0x0b0
#define APIC_SPURIOUS     0x0f0
#define APIC_COMMAND      0x300
#define APIC_COMMAND_HIGH 0x310
#define APIC_PENDING      (1u << 12)

static volatile uint32_t *apic(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(UINT64_C(0xffffffff00000000) + APIC + offset);
}

/* CPU n has APIC id n on this machine; a real kernel has a table, from the MADT. */
static void apic_send(uint32_t cpu, uint32_t command)
{
	*apic(APIC_COMMAND_HIGH) = cpu << 24;
	*apic(APIC_COMMAND) = command;
	while (*apic(APIC_COMMAND) & APIC_PENDING)
		ktlb_relax();
}

/* Interrupts are off. Writes to an xAPIC's registers come after all earlier stores. */
void ktlb_port_send_ipi(const struct ktlb_cpuset *cpus)
{
	uint32_t cpu;

	ktlb_cpuset_for_each(cpu, cpus) apic_send(cpu, VECTOR);
}

/* From boot.S: the interrupt that the function above sends. */
void machine_interrupt(void);
void machine_interrupt(void)
{
	ktlb_handle_ipi();
	*apic(APIC_EOI) = 0;
}

/* ---- the start --------------------------------------------------------------------------------*/

extern uint64_t kernel_root[512];

void port_start(uint32_t cpus, uint32_t id_limit)
{
	struct ktlb_config config = {0};

	(void)id_limit; /* ids are per CPU here, and so many that nobody counts them */
	config.cpus = cpus;
	config.kernel_root = physical(kernel_root);
	ktlb_init(&config);
}

void port_start_cpu(uint32_t cpu)
{
	static struct ktlb_cpu state[CPUS];

	ktlb_cpu_online(cpu, &state[cpu]);
}

/* ---- the machine ------------------------------------------------------------------------------*/

static void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

void machine_print(const char *text)
{
	while (*text)
		out8(0xe9, (uint8_t)*text++);
}

/* QEMU's exit status becomes 33 or 35: isa-debug-exit doubles what it is given, and adds 1. */
void machine_exit(int failed)
{
	out8(0xf4, failed ? 17 : 16);
	for (;;)
		ktlb_relax();
}

void machine_interrupts_on(void)
{
	__asm__ volatile("sti" : : : "memory");
}

void machine_interrupts_off(void)
{
	__asm__ volatile("cli" : : : "memory");
}

void machine_fault(void);
void machine_fault(void)
{
	machine_print("FAILED: an exception\n");
	machine_exit(1);
}

struct gate {
	uint16_t low, selector, flags, middle;
	uint32_t high, zero;
};
static struct gate idt[VECTOR + 1] __attribute__((aligned(16)));
extern const char vector_ktlb[], vector_fault[], trampoline[], trampoline_end[];

static struct gate gate(const char *to)
{
	uint64_t address = (uint64_t)(uintptr_t)to;
	struct gate g = {(uint16_t)address,         0x18, 0x8e00, (uint16_t)(address >> 16),
	                 (uint32_t)(address >> 32), 0};

	return g;
}

/* From boot.S, on each CPU. */
void machine_main(uint32_t cpu);
void machine_main(uint32_t cpu)
{
	struct {
		uint16_t padding[3], limit;
		uint64_t base;
	} pointer = {{0}, sizeof(idt) - 1, (uint64_t)(uintptr_t)idt};

	if (cpu == 0) {
		for (uint32_t i = 0; i < VECTOR; i++)
			idt[i] = gate(vector_fault);
		idt[VECTOR] = gate(vector_ktlb);
		out8(0x21, 0xff); /* the old interrupt controllers: all masked */
		out8(0xa1, 0xff);
	}
	__asm__ volatile("lidt %0" : : "m"(pointer.limit), "m"(pointer.base));
	*apic(APIC_SPURIOUS) = 0x1ff;
	if (cpu == 0)
		kernel_main();
	kernel_cpu_1();
}

static void wait(void)
{
	for (volatile uint32_t i = 0; i < 200000; i++)
		ktlb_relax();
}

/* INIT, startup; an emulator needs no exact times between them, and no second startup. */
void machine_start_cpu(void)
{
	volatile char *to = (volatile char *)(uintptr_t)(TRAMPOLINE + LINEAR);

	for (const char *from = trampoline; from < trampoline_end; from++)
		*to++ = *from;
	apic_send(1, 0x4500);
	wait();
	apic_send(1, 0x4600 | TRAMPOLINE >> 12);
}
