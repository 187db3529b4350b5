# SPDX-License-Identifier: MIT
# The demo and its tests. The top Makefile includes this after kernel/kernel.mk.
#
#   demo         boots every build that the origins need, prints the tables, writes out/
#   test-lab     the demo's and tools/setup's own tests: Python alone
#   test-count   the counting plugin against a guest of known length, and against a disassembly
#
#   DEMO_ARGS    for demo.py: --json, O2, …

LAB_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PYTHON ?= python3
HOSTCC ?= gcc

# The builds that are measured: the default one, and one for each arm of an option. Instructions
# are counted with the library's own counters off (lab/experiments.py says which arm is which).
LAB_CFLAGS := -DKTLB_CFG_COUNT=0
LAB_VARIANTS := default o1-before o2-none o2-always o2-page o3-before
LAB_CFLAGS_default :=
LAB_CFLAGS_o1-before := -DKTLB_CFG_OPT_THIS_CPU_ASID=0
LAB_CFLAGS_o2-none := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_NONE
LAB_CFLAGS_o2-always := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_ALWAYS
LAB_CFLAGS_o2-page := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_PAGE_STRIDE
LAB_CFLAGS_o3-before := -DKTLB_CFG_OPT_CPU_ID_IN_THREAD=0

$(foreach v,$(LAB_VARIANTS),$(eval $(call kernel_variant,lab-$(v),arm64,\
	$(LAB_CFLAGS) $(LAB_CFLAGS_$(v)))))

LAB_KERNELS := $(foreach v,$(LAB_VARIANTS),$(B)/kernel-arm64-lab-$(v)/kernel.elf)
LAB_KERNEL = $(B)/kernel-arm64-lab-$(1)/kernel.elf
LAB_PLUGIN := $(B)/count.so
LAB_GUEST := $(B)/tests/count/guest.elf

$(LAB_PLUGIN): $(wildcard tools/count/*.c tools/count/*.h)
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
		-shared -fPIC -o $@ tools/count/count.c

$(LAB_GUEST): tests/count/guest.S
	@mkdir -p $(@D)
	$(CROSS_ARM64)gcc -nostdlib -static -no-pie -Wl,-Ttext=0x40200000 -Wl,--build-id=none \
		-Wl,-e,_start -o $@ $<

# $(call lab_missing,TOOLS): the shell's words that name the first tool which is not there.
lab_missing = for tool in $(1); do \
	command -v $$tool >/dev/null 2>&1 || { echo $$tool; break; }; done
# Builds on all CPUs unless told how many; quiet unless V=1.
LAB_MAKE = $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s) \
	$(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$$(nproc))
LAB_NEEDS := $(PYTHON) $(HOSTCC) $(CROSS_ARM64)gcc qemu-system-aarch64

.PHONY: demo demo-run test-lab test-count test-count-run

demo:
	+@missing=$$($(call lab_missing,$(LAB_NEEDS))); \
	if [ -n "$$missing" ]; then echo "SKIP demo: $$missing is not installed"; \
	else if [ -t 2 ]; then echo "building $(words $(LAB_VARIANTS)) kernels" >&2; fi; \
		$(LAB_MAKE) demo-run; fi

demo-run: $(LAB_KERNELS) $(LAB_PLUGIN)
	@$(PYTHON) -B $(LAB_DIR)/demo.py --kernels '$(call LAB_KERNEL,{})' --plugin $(LAB_PLUGIN) \
		$(DEMO_ARGS)

test-lab:
	@missing=$$($(call lab_missing,$(PYTHON))); \
	if [ -n "$$missing" ]; then echo "SKIP test-lab: $$missing is not installed"; \
	else $(PYTHON) -B tests/lab/test_lab.py && $(PYTHON) -B tests/setup/test_setup.py; fi

test-count:
	+@missing=$$($(call lab_missing,$(LAB_NEEDS))); \
	if [ -n "$$missing" ]; then echo "SKIP test-count: $$missing is not installed"; \
	else $(LAB_MAKE) test-count-run; fi

test-count-run: $(LAB_PLUGIN) $(LAB_GUEST) $(call LAB_KERNEL,default)
	@$(PYTHON) -B tests/count/test_count.py --plugin $(LAB_PLUGIN) --guest $(LAB_GUEST) \
		--kernel $(call LAB_KERNEL,default)
