/* SPDX-License-Identifier: MIT */
/*
 * What QEMU's "virt" machine has around the CPUs: console, semihosting, PSCI, GICv3, timer.
 *
 * Device registers are written through the kernel's linear map, Device-nGnRnE, so one CPU's
 * accesses to one device stay in program order.
 */
#include <arch.h>

#include "trap.h"

#define UART_BASE 0x09000000
#define GICD_BASE 0x08000000
#define GICR_BASE 0x080a0000
#define GICR_STEP 0x20000 /* two 64 KiB frames a CPU: control, and the private interrupts */

static volatile uint32_t *device(uint64_t address)
{
	return (volatile uint32_t *)(uintptr_t)(address + ARCH_LINEAR_OFFSET);
}

/* ---- PL011 ------------------------------------------------------------------------------------*/

#define UART_DR      0x00
#define UART_FR      0x18
#define UART_FR_TXFF (1u << 5)

void arch_console_put(char c)
{
	while (*device(UART_BASE + UART_FR) & UART_FR_TXFF)
		ktlb_relax();
	*device(UART_BASE + UART_DR) = (uint8_t)c;
}

/* ---- semihosting: the way to the command line, and out ----------------------------------------*/

#define SYS_GET_CMDLINE              0x15
#define SYS_EXIT                     0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026

/* The host reads and writes our memory during the instruction: hence the clobber. */
static uint64_t semihost(uint32_t operation, const void *block)
{
	register uint64_t x0 __asm__("x0") = operation;
	register uint64_t x1 __asm__("x1") = (uint64_t)(uintptr_t)block;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return x0;
}

void arch_cmdline(char *to, size_t size)
{
	uint64_t block[2] = {(uint64_t)(uintptr_t)to, size};

	to[0] = '\0';
	if (semihost(SYS_GET_CMDLINE, block))
		to[0] = '\0';
}

void arch_exit(int code)
{
	uint64_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uint64_t)code};

	semihost(SYS_EXIT, block);
	for (;;)
		ktlb_relax();
}

/* ---- PSCI (Arm DEN 0022), by HVC: QEMU itself answers -----------------------------------------*/

#define PSCI_CPU_OFF            0x84000002u
#define PSCI_CPU_ON             0xc4000003u
#define PSCI_AFFINITY_INFO      0xc4000004u
#define PSCI_INVALID_PARAMETERS (-2)
#define PSCI_IS_OFF             1

static int64_t psci(uint32_t function, uint64_t a, uint64_t b, uint64_t c)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a;
	register uint64_t x2 __asm__("x2") = b;
	register uint64_t x3 __asm__("x3") = c;

	/* x4..x17 may be changed by the call (SMC calling convention, Arm DEN 0028). */
	__asm__ volatile("hvc #0"
	                 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
	                 :
	                 : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
	                   "x15", "x16", "x17", "memory");
	return (int64_t)x0;
}

/* With a GICv3 this machine numbers its first 16 CPUs in affinity level 0. */
uint32_t arch_cpu_number(void)
{
	return (uint32_t)(sysreg_read(mpidr_el1) & 0xff);
}

uint32_t arch_count_cpus(void)
{
	uint32_t count = 1;

	while (count < MAX_CPUS && psci(PSCI_AFFINITY_INFO, count, 0, 0) != PSCI_INVALID_PARAMETERS)
		count++;
	return count;
}

extern const char start_cpu[];

void arch_start_cpu(uint32_t cpu, struct thread *first)
{
	int64_t error;

	/* What the new CPU will read is in memory before it runs: DSB, as HVC orders nothing. */
	__asm__ volatile("dsb ish" : : : "memory");
	error = psci(PSCI_CPU_ON, cpu, (uint64_t)(uintptr_t)start_cpu - ARCH_LINEAR_OFFSET,
	             (uint64_t)(uintptr_t)first);
	if (error)
		panic("PSCI: CPU %u does not start: %lx", cpu, (uint64_t)error);
}

void arch_cpu_off(void)
{
	psci(PSCI_CPU_OFF, 0, 0, 0);
	panic("PSCI: CPU %u does not stop", arch_cpu_number());
}

int arch_cpu_is_off(uint32_t cpu)
{
	return psci(PSCI_AFFINITY_INFO, cpu, 0, 0) == PSCI_IS_OFF;
}

/* ---- GICv3 (Arm IHI 0069): one kind of software interrupt, and the timer's ------------------*/

#define GICD_CTLR         0x0000
#define GICD_CTLR_GROUP1  (1u << 1)
#define GICD_CTLR_ARE     (1u << 4)
#define GICD_CTLR_RWP     (1u << 31)
#define GICR_WAKER        0x0014
#define GICR_WAKER_SLEEP  (1u << 1)
#define GICR_WAKER_ASLEEP (1u << 2)
#define GICR_IGROUPR0     0x10080
#define GICR_ISENABLER0   0x10100

#define INTERRUPT_KICK  0  /* software generated */
#define INTERRUPT_TIMER 27 /* the virtual timer, private to each CPU */
#define INTERRUPT_NONE  1020

void arch_interrupts_init(void)
{
	uint64_t redistributor = GICR_BASE + (uint64_t)arch_cpu_number() * GICR_STEP;

	if (arch_cpu_number() == 0) {
		*device(GICD_BASE + GICD_CTLR) = GICD_CTLR_ARE | GICD_CTLR_GROUP1;
		while (*device(GICD_BASE + GICD_CTLR) & GICD_CTLR_RWP)
			ktlb_relax();
	}
	*device(redistributor + GICR_WAKER) &= ~GICR_WAKER_SLEEP;
	while (*device(redistributor + GICR_WAKER) & GICR_WAKER_ASLEEP)
		ktlb_relax();
	*device(redistributor + GICR_IGROUPR0) = ~0u;
	*device(redistributor + GICR_ISENABLER0) = 1u << INTERRUPT_KICK | 1u << INTERRUPT_TIMER;

	/* The CPU interface by system registers; the ISB makes the others accessible. */
	sysreg_write(icc_sre_el1, sysreg_read(icc_sre_el1) | 1);
	__asm__ volatile("isb" : : : "memory");
	sysreg_write(icc_pmr_el1, 0xff);
	sysreg_write(icc_igrpen1_el1, 1);
	__asm__ volatile("isb" : : : "memory");
}

void arch_kick(uint32_t cpu)
{
	/*
	 * DSB ISHST: a system register write is not ordered after stores by itself, and what this
	 * CPU has stored must be there when the other looks. ISB: the write is done now, not with
	 * the next context synchronisation.
	 */
	__asm__ volatile("dsb ishst" : : : "memory");
	sysreg_write(icc_sgi1r_el1, (uint64_t)INTERRUPT_KICK << 24 | (uint64_t)1 << cpu);
	__asm__ volatile("isb" : : : "memory");
}

/* WFI ends at a pending interrupt although it is masked. DSB: our stores do not wait for it. */
void arch_wait_for_interrupt(void)
{
	__asm__ volatile("dsb sy\n\twfi" : : : "memory");
}

/* ---- the timer --------------------------------------------------------------------------------*/

static KTLB_PERCPU(uint64_t, timer_next);
static uint64_t timer_period;

uint64_t arch_clock_hz(void)
{
	return sysreg_read(cntfrq_el0);
}

void arch_timer_start(uint64_t first, uint64_t period)
{
	ktlb_store_relaxed(&timer_period, period);
	*ktlb_this_cpu(timer_next) = arch_clock() + first;
	sysreg_write(cntv_cval_el0, *ktlb_this_cpu(timer_next));
	sysreg_write(cntv_ctl_el0, 1);
}

void arch_timer_stop(void)
{
	sysreg_write(cntv_ctl_el0, 0);
	__asm__ volatile("isb" : : : "memory");
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
	sysreg_write(cntv_cval_el0, next);
	__asm__ volatile("isb" : : : "memory"); /* the line falls before the interrupt is ended */
}

/* From trap.c, interrupts off. A kick needs no action: whoever was idle looks at the queue. */
void machine_interrupt(void)
{
	uint64_t number = sysreg_read(icc_iar1_el1) & 0xffffff;

	if (number >= INTERRUPT_NONE)
		return;
	/* Acknowledged before the handler's accesses (Arm IHI 0069, on reads of ICC_IAR1_EL1). */
	__asm__ volatile("dsb sy" : : : "memory");
	if (number == INTERRUPT_TIMER)
		timer_rearm();
	sysreg_write(icc_eoir1_el1, number);
	__asm__ volatile("isb" : : : "memory");
	if (number == INTERRUPT_TIMER)
		kernel_tick();
}
