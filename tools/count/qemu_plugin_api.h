/* SPDX-License-Identifier: MIT */
/*
 * The part of QEMU's interface for TCG plugins, version 1, that count.c uses: QEMU 7.2 (Debian 12)
 * and 8.2 (Ubuntu 24.04) load plugins, but their packages have no header. Written from QEMU's
 * documentation ("QEMU TCG Plugins"); the functions are in the emulator's own executable.
 */
#ifndef QEMU_PLUGIN_API_H
#define QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API 1

typedef uint64_t qemu_plugin_id_t;

/* What the emulator says of itself when it loads a plugin. */
typedef struct qemu_info_t {
	const char *target_name; /* "aarch64", "x86_64", … */
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

/* Handles, valid during the call that hands them over. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint32_t qemu_plugin_meminfo_t;

/* Whether a callback looks at the guest's registers. */
enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW
};

typedef void (*qemu_plugin_exit_fn)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_translate_fn)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_fn)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_mem_fn)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va,
                                   void *data);

/* A block of instructions is being translated: the time to ask for calls at its instructions. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translate_fn fn);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_fn fn, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* fn runs before the instruction each time; and after each of its memory accesses. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn,
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void *data);

/* Was it a write? A read-modify-write is two accesses. */
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* What the emulator looks for in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif /* QEMU_PLUGIN_API_H */
