/* SPDX-License-Identifier: MIT */
/*
 * A plugin for QEMU's TCG that counts what each CPU of a guest, arm64 or x86-64, executes between two
 * marks.
 *
 * A mark is one store instruction of the guest, at an address that the plugin is told. The address
 * that it stores to says what the mark means: slots + tag. The stored value means nothing.
 *
 *   tag 1 .. 511        begins measurement `tag` on the CPU that executes the mark
 *   tag 0               ends it
 *   tag 513 .. 1023     begins measurement `tag` of the whole machine, all CPUs together
 *   tag 512             ends it
 *
 * So a figure carries its own name from the guest, and no order of marks has to be agreed upon.
 * Each measurement that ends becomes a line of the output file:
 *
 *   tag=7 cpu=0 instructions=12 load=3 … called=0      ("cpu=all" for the whole machine)
 *
 * whose kinds are those of the guest's architecture.
 *
 * One that is begun twice, or never ended, becomes a line that begins with "broken".
 *
 * What is counted: every instruction is of one kind (decode.h, decode_x86_64.h), known when it is
 * translated; the counter of its kind goes up each time before it is executed. The first mark is not part of what
 * is counted, the last one is: the guest measures nothing at all, too, and the reader subtracts
 * that. An instruction that takes a fault is counted each time that it is tried. A CPU that waits
 * for an interrupt executes nothing. "called" and "interrupt" count executions of one more given
 * address each.
 *
 * Counters of a CPU are written by that CPU's thread alone. A measurement of the whole machine
 * reads those of the others and wants one thread for all (-accel tcg,thread=single).
 *
 * With lines=1 each measurement of a CPU also has its accesses to memory, as the emulator makes them, and
 * the distinct cache lines of 64 bytes that they touch, stack included, by virtual address:
 *
 *   … reads=9 writes=2 lines=5 lines_written=2
 *
 * A read-modify-write is a read and a write. The marks' own stores are not among them.
 *
 *   -plugin build/count.so,mark=ADDRESS,slots=ADDRESS,out=FILE
 *           [,called=ADDRESS][,interrupt=ADDRESS][,lines=1]
 */
#define _POSIX_C_SOURCE 200809L /* flockfile */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "decode_x86_64.h"
#include "qemu_plugin_api.h"

#define KINDS_MAX 16 /* of instructions, of one architecture */

enum {
	TAG_CPU_END = 0,
	TAG_MACHINE_END = 512,
	TAGS = 1024,

	COUNT_CALLED = KINDS_MAX, /* two more counters, beside those of the kinds */
	COUNT_INTERRUPT,
	COUNTERS,
};

/* What is different about a guest's architecture. */
struct arch {
	const char *target; /* as QEMU names it */
	unsigned int kinds;
	const char *kind_name[KINDS_MAX];
	unsigned int (*kind)(const uint8_t *byte, size_t size); /* of an instruction */
};

static unsigned int kind_arm64(const uint8_t *byte, size_t size)
{
	uint32_t bits;

	(void)size;
	memcpy(&bits, byte, sizeof(bits));
	return count_decode(bits);
}

static unsigned int kind_x86_64(const uint8_t *byte, size_t size)
{
	return count_decode_x86_64(byte, size);
}

static const struct arch archs[] = {
	{
		.target = "aarch64",
		.kinds = COUNT_KINDS,
		.kind_name = {"other", "load", "store", "atomic", "exclusive", "tlbi_page",
                              "tlbi_range", "tlbi_id", "tlbi_all", "dsb", "dmb", "isb", "ttbr"},
		.kind = kind_arm64,
	},
	{
		.target = "x86_64",
		.kinds = COUNT_X86_64_KINDS,
		.kind_name = {"other", "atomic", "fence", "root", "invlpg", "invpcid"},
		.kind = kind_x86_64,
	},
};
static const struct arch *arch;

_Static_assert(COUNT_KINDS <= KINDS_MAX && COUNT_X86_64_KINDS <= KINDS_MAX, "raise KINDS_MAX");

struct count {
	uint64_t of[COUNTERS];
};

/* What a measurement of a CPU accesses. A call touches a dozen lines; more than these are not told apart. */
#define LINE_SHIFT 6
#define LINES_MAX  256

struct accesses {
	uint64_t reads, writes;
	uint64_t line[LINES_MAX];
	bool written[LINES_MAX];
	unsigned int lines;
};

/* A CPU; on lines of its own, since the threads of all CPUs count at once. */
struct vcpu {
	struct count now;
	struct count at_begin;
	uint64_t tag; /* of the measurement that is going on, or TAG_CPU_END */
	struct accesses accesses;
} __attribute__((aligned(128)));

static struct vcpu *vcpus;
static unsigned int vcpus_max;

static struct count machine_at_begin;
static uint64_t machine_tag = TAG_MACHINE_END;

static uint64_t mark_address;
static uint64_t slots_address;
static uint64_t called_address, interrupt_address;
static uint64_t with_lines;
static FILE *out;

int qemu_plugin_version = QEMU_PLUGIN_API;

static struct count machine_now(void)
{
	struct count sum = {{0}};

	for (unsigned int i = 0; i < vcpus_max; i++)
		for (unsigned int k = 0; k < COUNTERS; k++)
			sum.of[k] += vcpus[i].now.of[k];
	return sum;
}

static void print_accesses(const struct accesses *accesses)
{
	unsigned int written = 0;

	for (unsigned int i = 0; i < accesses->lines; i++)
		written += accesses->written[i];
	fprintf(out, " reads=%" PRIu64 " writes=%" PRIu64 " lines=%u lines_written=%u",
	        accesses->reads, accesses->writes, accesses->lines, written);
}

/* One line; `cpu` is a number, or negative for all. */
static void print_measurement(uint64_t tag, int cpu, const struct count *begin,
                              const struct count *end)
{
	uint64_t instructions = 0;

	for (unsigned int k = 0; k < arch->kinds; k++)
		instructions += end->of[k] - begin->of[k];

	flockfile(out); /* another CPU's thread may print, too */
	fprintf(out, "tag=%" PRIu64 " cpu=", tag);
	if (cpu < 0)
		fprintf(out, "all");
	else
		fprintf(out, "%d", cpu);
	fprintf(out, " instructions=%" PRIu64, instructions);
	for (unsigned int k = 0; k < arch->kinds; k++)
		fprintf(out, " %s=%" PRIu64, arch->kind_name[k], end->of[k] - begin->of[k]);
	fprintf(out, " called=%" PRIu64 " interrupt=%" PRIu64,
	        end->of[COUNT_CALLED] - begin->of[COUNT_CALLED],
	        end->of[COUNT_INTERRUPT] - begin->of[COUNT_INTERRUPT]);
	if (with_lines && cpu >= 0)
		print_accesses(&vcpus[cpu].accesses);
	fprintf(out, "\n");
	funlockfile(out);
}

static void print_broken(const char *what, uint64_t tag)
{
	fprintf(out, "broken: measurement %" PRIu64 " %s\n", tag, what);
}

static void mark_machine(uint64_t tag)
{
	struct count now = machine_now();

	if (tag == TAG_MACHINE_END) {
		if (machine_tag == TAG_MACHINE_END)
			print_broken("ended before it began", tag);
		else
			print_measurement(machine_tag, -1, &machine_at_begin, &now);
	} else if (machine_tag != TAG_MACHINE_END) {
		print_broken("had not ended when another began", machine_tag);
	}
	machine_tag = tag;
	machine_at_begin = now;
}

static void mark_cpu(unsigned int cpu, uint64_t tag)
{
	struct vcpu *v = &vcpus[cpu];

	if (tag == TAG_CPU_END) {
		if (v->tag == TAG_CPU_END)
			print_broken("ended before it began", tag);
		else
			print_measurement(v->tag, (int)cpu, &v->at_begin, &v->now);
	} else if (v->tag != TAG_CPU_END) {
		print_broken("had not ended when another began", v->tag);
	}
	v->tag = tag;
	v->at_begin = v->now;
	v->accesses.reads = v->accesses.writes = v->accesses.lines = 0;
}

/* An instruction has accessed `va`. */
static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t va, void *data)
{
	struct accesses *accesses = &vcpus[cpu].accesses;
	bool is_write = qemu_plugin_mem_is_store(info);
	unsigned int i = 0;

	(void)data;
	if (vcpus[cpu].tag == TAG_CPU_END)
		return;
	accesses->reads += !is_write;
	accesses->writes += is_write;
	while (i < accesses->lines && accesses->line[i] != va >> LINE_SHIFT)
		i++;
	if (i == LINES_MAX)
		return;
	if (i == accesses->lines) {
		accesses->line[i] = va >> LINE_SHIFT;
		accesses->written[i] = false;
		accesses->lines++;
	}
	accesses->written[i] |= is_write;
}

/* The mark has stored to `va`. */
static void on_mark(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t va, void *data)
{
	uint64_t tag = va - slots_address;

	(void)info;
	(void)data;
	if (tag >= TAGS)
		print_broken("has a tag that is none", tag);
	else if (tag < TAG_MACHINE_END)
		mark_cpu(cpu, tag);
	else
		mark_machine(tag);
}

/* An instruction is about to be executed; `data` is the number of its counter. */
static void on_instruction(unsigned int cpu, void *data)
{
	vcpus[cpu].now.of[(uintptr_t)data]++;
}

static void count_in(struct qemu_plugin_insn *insn, unsigned int counter)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
	                                       (void *)(uintptr_t)counter);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t va = qemu_plugin_insn_vaddr(insn);

		count_in(insn,
		         arch->kind(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)));
		if (va == called_address)
			count_in(insn, COUNT_CALLED);
		if (va == interrupt_address)
			count_in(insn, COUNT_INTERRUPT);
		if (va == mark_address)
			qemu_plugin_register_vcpu_mem_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
			                                 QEMU_PLUGIN_MEM_W, NULL);
		else if (with_lines)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
			                                 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

static void on_exit(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	for (unsigned int i = 0; i < vcpus_max; i++)
		if (vcpus[i].tag != TAG_CPU_END)
			print_broken("never ended", vcpus[i].tag);
	if (machine_tag != TAG_MACHINE_END)
		print_broken("never ended", machine_tag);
	fclose(out);
}

/* Takes one "name=value"; false if it is none of ours, or its value is of no use. */
static bool take_argument(const char *argument)
{
	static const struct {
		const char *name;
		uint64_t *address;
	} addresses[] = {
		{"mark=", &mark_address},     {"slots=", &slots_address},
		{"called=", &called_address}, {"interrupt=", &interrupt_address},
		{"lines=", &with_lines},
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		size_t length = strlen(addresses[i].name);
		char *end;

		if (strncmp(argument, addresses[i].name, length) == 0) {
			*addresses[i].address = strtoull(argument + length, &end, 0);
			return *end == '\0' && end != argument + length;
		}
	}
	if (strncmp(argument, "out=", 4) != 0)
		return false;
	out = fopen(argument + 4, "w");
	if (!out) {
		perror(argument + 4);
		return false;
	}
	setvbuf(out, NULL, _IOLBF, 0);
	return true;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!take_argument(argv[i])) {
			fprintf(stderr, "count: cannot use the argument \"%s\"\n", argv[i]);
			return -1;
		}
	}
	if (!mark_address || !slots_address || !out) {
		fprintf(stderr, "count: needs mark=ADDRESS,slots=ADDRESS,out=FILE\n");
		return -1;
	}
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (strcmp(info->target_name, archs[i].target) == 0)
			arch = &archs[i];
	if (!info->system_emulation || !arch) {
		fprintf(stderr, "count: counts for qemu-system-aarch64 and -x86_64 only\n");
		return -1;
	}
	vcpus_max = (unsigned int)info->system.max_vcpus;
	vcpus = aligned_alloc(_Alignof(struct vcpu), vcpus_max * sizeof(*vcpus));
	if (!vcpus) {
		fprintf(stderr, "count: no memory for %u CPUs\n", vcpus_max);
		return -1;
	}
	memset(vcpus, 0, vcpus_max * sizeof(*vcpus));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
	return 0;
}
