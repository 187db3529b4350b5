/* SPDX-License-Identifier: MIT */
/*
 * What QEMU's "q35" machine has around the CPUs: console, exit, start info, ACPI's list of CPUs,
 * the local interrupt controllers (APIC) with their timers, and the clock.
 *
 * The clock is the time stamp counter; QEMU's and KVM's is the same on all CPUs and never stops.
 * Manual: Intel SDM volume 3, chapter "Advanced Programmable Interrupt Controller (APIC)".
 */
#include <arch.h>

#include "machine.h"

__attribute__((noreturn)) void machine_start(uint32_t info);

/* The original serves CPUs that are not online yet: the boot CPU, then one after the other. */
KTLB_PERCPU(struct thread *, current_thread) = &boot_block.thread;

/* ---- ports: the console, and out --------------------------------------------------------------*/

#define PORT_CONSOLE 0xe9 /* -debugcon */
#define PORT_EXIT    0xf4 /* -device isa-debug-exit: QEMU's exit code is 2 * what is written + 1 */

/* So that QEMU's code is none that it has for failures of its own; tools/run-qemu subtracts it. */
#define EXIT_BASE 16

static inline void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
	return value;
}

void arch_console_put(char c)
{
	out8(PORT_CONSOLE, (uint8_t)c);
}

void arch_exit(int code)
{
	__asm__ volatile("outl %0, %w1" : : "a"(code + EXIT_BASE), "d"(PORT_EXIT) : "memory");
	for (;;)
		ktlb_relax();
}

/* ---- the start info (Xen, "x86/HVM direct boot ABI"), ACPI -----------------------------------*/

#define START_INFO_MAGIC 0x336ec578

struct start_info {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, cmdline, rsdp;
};

/* ACPI 6.5: "Root System Description Pointer", "System Description Table Header". */
struct rsdp {
	uint8_t signature[8], checksum, oem[6], revision;
	uint32_t rsdt;
};

struct acpi_table {
	uint8_t signature[4];
	uint32_t length;
	uint8_t rest[28];
};

/* "Multiple APIC Description Table": a header of 8 bytes more, then entries of these types. */
#define MADT_ENTRIES (sizeof(struct acpi_table) + 8)
#define MADT_APIC    0
#define MADT_ENABLED 1

struct madt_apic {
	uint8_t type, length, processor, id;
	uint32_t flags;
};

static const struct start_info *start_info;
static uint32_t apic_ids[MAX_CPUS]; /* by CPU number */

void arch_cmdline(char *to, size_t size)
{
	const char *from = page_pointer(start_info->cmdline);

	while (--size && *from)
		*to++ = *from++;
	*to = '\0';
}

/* The one whose signature reads like this; 32-bit addresses, as all that QEMU makes. */
static const struct acpi_table *find_table(const char *signature)
{
	const struct rsdp *rsdp = page_pointer(start_info->rsdp);
	const struct acpi_table *rsdt = page_pointer(rsdp->rsdt);
	const uint32_t *address = (const void *)(rsdt + 1);

	for (uint32_t i = 0; i < (rsdt->length - sizeof(*rsdt)) / sizeof(*address); i++) {
		const struct acpi_table *table = page_pointer(address[i]);

		if (table->signature[0] == signature[0] && table->signature[1] == signature[1] &&
		    table->signature[2] == signature[2] && table->signature[3] == signature[3])
			return table;
	}
	panic("ACPI: there is no table %s", signature);
}

static uint32_t apic_own_id(void);

/* The boot CPU is number 0, the others follow as they are listed. */
uint32_t arch_count_cpus(void)
{
	const struct acpi_table *madt = find_table("APIC");
	const char *at = (const char *)madt + MADT_ENTRIES;
	const char *end = (const char *)madt + madt->length;
	uint32_t count = 1;

	for (; at < end; at += ((const struct madt_apic *)(const void *)at)->length) {
		const struct madt_apic *apic = (const void *)at;

		if (apic->type == MADT_APIC && apic->flags & MADT_ENABLED &&
		    apic->id != apic_ids[0] && count < MAX_CPUS)
			apic_ids[count++] = apic->id;
	}
	return count;
}

uint32_t arch_cpu_number(void)
{
	uint32_t id = apic_own_id(), cpu = 0;

	while (cpu < MAX_CPUS - 1 && apic_ids[cpu] != id)
		cpu++;
	return cpu;
}

/* ---- the APIC ---------------------------------------------------------------------------------*/

#define APIC_ID            0x20
#define APIC_EOI           0xb0
#define APIC_SPURIOUS      0xf0
#define APIC_COMMAND       0x300
#define APIC_COMMAND_HIGH  0x310
#define APIC_TIMER         0x320
#define APIC_TIMER_INITIAL 0x380
#define APIC_TIMER_CURRENT 0x390
#define APIC_TIMER_DIVIDE  0x3e0

#define APIC_BASE_ENABLE (1u << 11)
#define APIC_BASE_X2APIC (1u << 10)
#define APIC_ENABLE      (1u << 8)  /* APIC_SPURIOUS */
#define APIC_MASKED      (1u << 16) /* APIC_TIMER */
#define APIC_PENDING     (1u << 12) /* APIC_COMMAND */
#define APIC_INIT        0x4500
#define APIC_STARTUP     0x4600
#define APIC_DIVIDE_BY_1 0xb
#define CPUID_X2APIC     (1u << 21)
#define CPUID_SMEP       (1u << 7)
#define CPUID_SMAP       (1u << 20)

static int x2apic;

static void cpuid(uint32_t leaf, uint32_t out[4])
{
	__asm__ volatile("cpuid"
	                 : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
	                 : "a"(leaf), "c"(0));
}

struct ktlb_identity machine_identity(void)
{
	struct ktlb_identity identity = {0};
	uint32_t leaf[4];

	cpuid(0, leaf);
	identity.vendor = leaf[1];
	cpuid(1, leaf);
	identity.id = (uint64_t)leaf[2] << 32 | leaf[0];
	return identity;
}

static volatile uint32_t *apic_register(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(APIC_MAPPED + offset);
}

static uint32_t apic_read(uint32_t offset)
{
	return x2apic ? (uint32_t)read_msr(MSR_X2APIC + offset / 16) : *apic_register(offset);
}

static void apic_write(uint32_t offset, uint32_t value)
{
	if (x2apic)
		write_msr(MSR_X2APIC + offset / 16, value);
	else
		*apic_register(offset) = value;
}

static uint32_t apic_own_id(void)
{
	return x2apic ? apic_read(APIC_ID) : apic_read(APIC_ID) >> 24;
}

static void apic_command(uint32_t cpu, uint32_t command)
{
	uint64_t irq = arch_irq_save();

	if (x2apic) {
		/*
		 * This WRMSR does not serialise and may pass earlier stores ("MSR Access in x2APIC
		 * Mode"): without the fences the handler may look before they are visible. A store
		 * to the memory-mapped registers cannot pass them.
		 */
		__asm__ volatile("mfence\n\tlfence" : : : "memory");
		write_msr(MSR_X2APIC + APIC_COMMAND / 16, (uint64_t)apic_ids[cpu] << 32 | command);
	} else {
		/* Interrupts are off: a handler that sends would replace the destination. */
		*apic_register(APIC_COMMAND_HIGH) = apic_ids[cpu] << 24;
		*apic_register(APIC_COMMAND) = command;
		while (*apic_register(APIC_COMMAND) & APIC_PENDING)
			ktlb_relax();
	}
	arch_irq_restore(irq);
}

void machine_send(uint32_t cpu, uint32_t vector)
{
	apic_command(cpu, vector);
}

void arch_kick(uint32_t cpu)
{
	machine_send(cpu, VECTOR_KICK);
}

/*
 * STI takes effect after the next instruction, so no interrupt comes between it and HLT, and one
 * that is pending ends HLT at once (Intel SDM volume 2, "STI").
 */
void arch_wait_for_interrupt(void)
{
	__asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
}

/* ---- the clock and the timer ------------------------------------------------------------------*/

#define PIT_HZ            1193182
#define PIT_COUNTER_2     0x42
#define PIT_MODE          0x43
#define PIT_MODE_ONE_SHOT 0xb0 /* counter 2, both bytes, mode 0: the output rises at the end */
#define PIT_GATE          0x61
#define PIT_GATE_ON       (1u << 0)
#define PIT_GATE_SPEAKER  (1u << 1)
#define PIT_GATE_OUTPUT   (1u << 5)

#define CALIBRATE_PART  100 /* of a second; fits into 16 bits of the PIT */
#define CALIBRATE_TRIES 5

static uint64_t clock_hz, timer_hz, timer_period;
static KTLB_PERCPU(uint64_t, timer_next);

/*
 * Counts clock and timer while the PIT counts 10 ms. Whatever disturbs makes both counts larger,
 * never smaller: the smallest of some tries is the best.
 */
static void calibrate(void)
{
	const uint32_t count = PIT_HZ / CALIBRATE_PART;

	clock_hz = timer_hz = ~(uint64_t)0;
	out8(PIT_GATE, (uint8_t)((in8(PIT_GATE) & ~PIT_GATE_SPEAKER) | PIT_GATE_ON));
	for (uint32_t i = 0; i < CALIBRATE_TRIES; i++) {
		uint64_t clock, timer;

		out8(PIT_MODE, PIT_MODE_ONE_SHOT);
		apic_write(APIC_TIMER_INITIAL, ~0u);
		clock = arch_clock();
		out8(PIT_COUNTER_2, (uint8_t)count);
		out8(PIT_COUNTER_2, (uint8_t)(count >> 8));
		while (!(in8(PIT_GATE) & PIT_GATE_OUTPUT))
			ktlb_relax();
		clock = (arch_clock() - clock) * CALIBRATE_PART;
		timer = (uint64_t)(~0u - apic_read(APIC_TIMER_CURRENT)) * CALIBRATE_PART;
		clock_hz = clock < clock_hz ? clock : clock_hz;
		timer_hz = timer < timer_hz ? timer : timer_hz;
	}
	apic_write(APIC_TIMER_INITIAL, 0);
}

uint64_t arch_clock_hz(void)
{
	return clock_hz;
}

/* The timer counts down once, at its own rate; a period is far below what would overflow. */
static void timer_set(uint64_t now)
{
	uint64_t count = (*ktlb_this_cpu(timer_next) - now) * timer_hz / clock_hz;

	apic_write(APIC_TIMER_INITIAL, (uint32_t)count + 1);
}

void arch_timer_start(uint64_t first, uint64_t period)
{
	uint64_t now = arch_clock();

	ktlb_store_relaxed(&timer_period, period);
	*ktlb_this_cpu(timer_next) = now + first;
	apic_write(APIC_TIMER, VECTOR_TIMER);
	timer_set(now);
}

void arch_timer_stop(void)
{
	apic_write(APIC_TIMER, APIC_MASKED | VECTOR_TIMER);
}

/* Ticks keep their phase, unless the host kept this CPU from running for longer than a period. */
static void timer_rearm(void)
{
	uint64_t period = ktlb_load_relaxed(&timer_period);
	uint64_t next = *ktlb_this_cpu(timer_next) + period;
	uint64_t now = arch_clock();

	if (next <= now)
		next += (now - next) / period * period + period;
	*ktlb_this_cpu(timer_next) = next;
	timer_set(now);
}

/* From trap.c, interrupts off. A kick needs no action: whoever was idle looks at the queue. */
void machine_interrupt(uint64_t vector)
{
	if (vector == VECTOR_SPURIOUS)
		return;
	if (vector == VECTOR_KTLB)
		ktlb_handle_ipi();
	if (vector == VECTOR_TIMER)
		timer_rearm();
	apic_write(APIC_EOI, 0);
	if (vector == VECTOR_TIMER)
		kernel_tick();
}

/* ---- the start --------------------------------------------------------------------------------*/

#define PIC_1_DATA 0x21
#define PIC_2_DATA 0xa1

/* On every CPU: the APIC answers, the kernel cannot touch what is the user's. */
static void start_features(void)
{
	uint32_t leaf[4], cr4 = 0;

	write_msr(MSR_APIC_BASE,
	          read_msr(MSR_APIC_BASE) | APIC_BASE_ENABLE | (x2apic ? APIC_BASE_X2APIC : 0));
	apic_write(APIC_SPURIOUS, APIC_ENABLE | VECTOR_SPURIOUS);
	apic_write(APIC_TIMER, APIC_MASKED | VECTOR_TIMER);
	apic_write(APIC_TIMER_DIVIDE, APIC_DIVIDE_BY_1);

	cpuid(0, leaf);
	if (leaf[0] >= 7) {
		cpuid(7, leaf);
		cr4 = (leaf[1] & CPUID_SMEP ? CR4_SMEP : 0) | (leaf[1] & CPUID_SMAP ? CR4_SMAP : 0);
	}
	write_cr4(read_cr4() | cr4);
}

/* From start.S; the start info's address, or 0 on all CPUs but the first. */
void machine_start(uint32_t info)
{
	uint32_t leaf[4];

	trap_start();
	if (info) {
		cpuid(1, leaf);
		x2apic = (leaf[2] & CPUID_X2APIC) != 0;
	}
	start_features();
	if (!info)
		kernel_start_cpu();

	out8(PIC_1_DATA, 0xff); /* the interrupt controllers of old: all masked */
	out8(PIC_2_DATA, 0xff);
	start_info = page_pointer(info);
	if (start_info->magic != START_INFO_MAGIC)
		panic("not started by the PVH boot protocol");
	apic_ids[0] = apic_own_id();
	calibrate();
	kernel_start();
}

void arch_interrupts_init(void)
{
	trap_start_cpu(arch_cpu_number());
}

static void wait_us(uint64_t us)
{
	uint64_t end = arch_clock() + us * clock_hz / 1000000;

	while (arch_clock() < end) {
		ktlb_poll();
		ktlb_relax();
	}
}

extern const char trampoline[], trampoline_end[];

/* INIT, startup, startup, with the waits of the manual: "Typical AP Initialization Sequence". */
void arch_start_cpu(uint32_t cpu, struct thread *first)
{
	char *to = page_pointer(TRAMPOLINE);

	for (const char *from = trampoline; from < trampoline_end; from++)
		ktlb_store_relaxed(to++, *from);
	*percpu_of(cpu, current_thread) = first;
	current_thread = first;

	apic_command(cpu, APIC_INIT);
	wait_us(10000);
	apic_command(cpu, APIC_STARTUP | TRAMPOLINE / PAGE_SIZE);
	wait_us(200);
	apic_command(cpu, APIC_STARTUP | TRAMPOLINE / PAGE_SIZE);
}

/* Until INIT, which starts it anew whatever it does. Interrupts are off: nothing else ends the halt. */
void arch_cpu_off(void)
{
	for (;;)
		__asm__ volatile("cli\n\thlt" : : : "memory");
}

/* It halts, or is about to, and writes nothing in between. */
int arch_cpu_is_off(uint32_t cpu)
{
	(void)cpu;
	return 1;
}
