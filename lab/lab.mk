# SPDX-License-Identifier: MIT
# The demo and its tests. The top Makefile includes this after kernel/kernel.mk.
#
#   demo         boots every build that the origins need, prints the tables, writes out/. Without a
#                compiler or an emulator for x86-64 it says so and does arm64 alone. Then the checker
#                finds one fault, unless DEMO_ARGS ask for something of their own
#   test-lab     the demo's and tools/setup's own tests: Python alone
#   test-count   the counting plugin against a guest of known length, and against disassemblies
#
#   DEMO_ARGS    for demo.py: --json, O2, …

LAB_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PYTHON ?= python3
HOSTCC ?= gcc

# The builds that are measured: the default one, and one for each arm of an option. Instructions
# are counted with the library's own counters off (lab/experiments.py says which arm is which); the
# builds whose own counters are read have "storm" in their names.
LAB_CFLAGS_arm64 := -DKTLB_CFG_COUNT=0
LAB_VARIANTS_arm64 := default o1-before o2-none o2-always o2-page o3-before
LAB_CFLAGS_default :=
LAB_CFLAGS_o1-before := -DKTLB_CFG_OPT_THIS_CPU_ASID=0
LAB_CFLAGS_o2-none := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_NONE
LAB_CFLAGS_o2-always := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_ALWAYS
LAB_CFLAGS_o2-page := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_PAGE_STRIDE
LAB_CFLAGS_o3-before := -DKTLB_CFG_OPT_CPU_ID_IN_THREAD=0

LAB_CFLAGS_x86_64 := -DKTLB_CFG_COUNT=0
LAB_VARIANTS_x86_64 := default o3-before o4-before o4-after storm-before storm-after
LAB_CFLAGS_o4-after := -DKTLB_CFG_OPT_LAZY=0 -DKTLB_CFG_OPT_KEEP_MASK_BIT=0
LAB_CFLAGS_o4-before := $(LAB_CFLAGS_o4-after) -DKTLB_CFG_OPT_KERNEL_NO_MASK=0
LAB_CFLAGS_storm-after := -UKTLB_CFG_COUNT -DKTLB_CFG_COUNT=1
LAB_CFLAGS_storm-before := $(LAB_CFLAGS_storm-after) -DKTLB_CFG_OPT_EARLY_OUT=0

$(foreach a,arm64 x86_64,$(foreach v,$(LAB_VARIANTS_$(a)),$(eval $(call kernel_variant,\
	lab-$(v),$(a),$(LAB_CFLAGS_$(a)) $(LAB_CFLAGS_$(v))))))

# $(call lab_kernel,ARCH-lab-VARIANT)
lab_kernel = $(B)/kernel-$(1)/kernel.elf
lab_kernels = $(foreach v,$(LAB_VARIANTS_$(1)),$(call lab_kernel,$(1)-lab-$(v)))
LAB_PLUGIN := $(B)/count.so
LAB_GUEST := $(B)/tests/count/guest.elf
LAB_DECODE := $(B)/tests/count/decode_x86_64

$(LAB_PLUGIN): $(wildcard tools/count/*.c tools/count/*.h)
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
		-shared -fPIC -o $@ tools/count/count.c

$(LAB_GUEST): tests/count/guest.S
	@mkdir -p $(@D)
	$(CROSS_ARM64)gcc -nostdlib -static -no-pie -Wl,-Ttext=0x40200000 -Wl,--build-id=none \
		-Wl,-e,_start -o $@ $<

$(LAB_DECODE): tests/count/decode_x86_64.c $(wildcard tools/count/*.h)
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Itools/count \
		-fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $<

# $(call lab_missing,TOOLS): the shell's words that name the first tool which is not there.
lab_missing = for tool in $(1); do \
	command -v $$tool >/dev/null 2>&1 || { echo $$tool; break; }; done
# Builds on all CPUs unless told how many; quiet unless V=1.
LAB_MAKE = $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s) \
	$(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$$(nproc))
LAB_NEEDS := $(PYTHON) $(HOSTCC) $(CROSS_ARM64)gcc qemu-system-aarch64
# Without these there is no x86-64 half. LAB_SKIP_X86_64 says the reason.
LAB_NEEDS_X86_64 := $(CROSS_X86_64)gcc qemu-system-x86_64
LAB_SKIP_X86_64 ?=
LAB_ARCHS = arm64 $(if $(LAB_SKIP_X86_64),,x86_64)
lab_half = missing=$$($(call lab_missing,$(LAB_NEEDS_X86_64))); \
	$(LAB_MAKE) $(1) LAB_SKIP_X86_64="$${missing:+$$missing is not installed}"

.PHONY: demo demo-run test-lab test-count test-count-run

demo:
	+@missing=$$($(call lab_missing,$(LAB_NEEDS))); \
	if [ -n "$$missing" ]; then echo "SKIP demo: $$missing is not installed"; \
	else if [ -t 2 ]; then echo "building the kernels" >&2; fi; $(call lab_half,demo-run); fi

demo-run: $(foreach a,$(LAB_ARCHS),$(call lab_kernels,$(a))) $(LAB_PLUGIN)
	@$(PYTHON) -B $(LAB_DIR)/demo.py --kernels '$(call lab_kernel,{})' --plugin $(LAB_PLUGIN) \
		$(if $(LAB_SKIP_X86_64),--skip-x86-64 '$(LAB_SKIP_X86_64)') $(DEMO_ARGS)
	+$(if $(DEMO_ARGS),,@$(LAB_MAKE) demo-checker)

test-lab:
	@missing=$$($(call lab_missing,$(PYTHON))); \
	if [ -n "$$missing" ]; then echo "SKIP test-lab: $$missing is not installed"; \
	else $(PYTHON) -B tests/lab/test_lab.py && $(PYTHON) -B tests/setup/test_setup.py; fi

test-count:
	+@missing=$$($(call lab_missing,$(LAB_NEEDS))); \
	if [ -n "$$missing" ]; then echo "SKIP test-count: $$missing is not installed"; \
	else $(call lab_half,test-count-run); fi

# The tables of docs/PERFORMANCE.md, written anew: look at what has grown before you commit it.
.PHONY: performance
performance: $(LAB_PLUGIN) $(foreach a,arm64 x86_64,$(call lab_kernel,$(a)-lab-default))
	@$(PYTHON) -B tests/count/performance.py --plugin $(LAB_PLUGIN) \
		--kernel $(call lab_kernel,arm64-lab-default) \
		--kernel-x86-64 $(call lab_kernel,x86_64-lab-default)

test-count-run: $(LAB_PLUGIN) $(LAB_GUEST) $(LAB_DECODE) \
		$(foreach a,$(LAB_ARCHS),$(call lab_kernel,$(a)-lab-default))
	@$(PYTHON) -B tests/count/test_count.py --plugin $(LAB_PLUGIN) --guest $(LAB_GUEST) \
		--kernel $(call lab_kernel,arm64-lab-default) --decode $(LAB_DECODE) \
		$(if $(LAB_SKIP_X86_64),,--kernel-x86-64 $(call lab_kernel,x86_64-lab-default))
	@reason='$(LAB_SKIP_X86_64)'; \
	if [ -n "$$reason" ]; then echo "SKIP test-count of x86-64: $$reason"; fi
