# SPDX-License-Identifier: MIT
# The sample kernel's rules. The top Makefile includes this after ktlb.mk and makes variants:
#
#   $(eval $(call kernel_variant,NAME,ARCH,EXTRA_CFLAGS[,SRC]))
#
# gives $(B)/kernel-ARCH-NAME/kernel.elf: library and kernel compiled alike with EXTRA_CFLAGS. The
# library is taken from SRC, default src; another copy of it, say a deliberately broken one, has the
# same files in the same places. Its headers come from there first, too.
#
#   B              the build directory
#   CROSS_ARM64    the prefix of the tools; KERNEL_CC_arm64 to compile with something else
#   CROSS_X86_64   likewise: none on an x86-64 host
#   KERNEL_DIR     this directory
#   Q              @ to build quietly

B ?= build
CROSS_ARM64 ?= aarch64-linux-gnu-
ifndef CROSS_X86_64
CROSS_X86_64 := $(if $(filter x86_64%,$(shell gcc -dumpmachine 2>/dev/null)),,x86_64-linux-gnu-)
endif
ifndef KERNEL_DIR
KERNEL_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
endif

KERNEL_CC_arm64 ?= $(CROSS_ARM64)gcc
KERNEL_LD_arm64 ?= $(CROSS_ARM64)ld
KERNEL_OBJCOPY_arm64 ?= $(CROSS_ARM64)objcopy
KERNEL_CC_x86_64 ?= $(CROSS_X86_64)gcc
KERNEL_LD_x86_64 ?= $(CROSS_X86_64)ld
KERNEL_OBJCOPY_x86_64 ?= $(CROSS_X86_64)objcopy

# No floating point registers: neither kernel nor programs save them. No outlined atomics, no
# compiler-generated protection: both want a run-time library. No red zone: interrupts use the stack
# that they interrupt.
KERNEL_CFLAGS_arm64 = -mgeneral-regs-only -mno-outline-atomics -mstrict-align
KERNEL_CFLAGS_x86_64 = -mgeneral-regs-only -mno-red-zone -mcmodel=kernel -fcf-protection=none

KERNEL_CFLAGS = -std=gnu11 -O2 -g -ffreestanding -fno-stack-protector -fno-pic -fno-pie \
	-fno-common -fno-asynchronous-unwind-tables -Wall -Wextra -Werror -Wshadow -Wundef \
	-Wmissing-prototypes -Wstrict-prototypes -Wvla

KERNEL_HEADERS = -I$(KTLB_DIR)/include -I$(KERNEL_DIR)

# $(call kernel_objects,DIR,SOURCES): a directory of objects, one a source, whatever its path.
kernel_objects = $(addprefix $(1)/,$(addsuffix .o,$(notdir $(2))))

# $(call kernel_compile,OBJECT,SOURCE,COMPILER AND FLAGS,PREREQUISITES)
define kernel_compile
$(1): $(2) $(4)
	@mkdir -p $$(@D)
	$$(Q)$(3) -MMD -MP -c -o $$@ $$<
endef

# $(call kernel_rules,DIR,ARCH,EXTRA_CFLAGS,SRC)
define kernel_rules
$(1)_cc := $(KERNEL_CC_$(2)) $(KERNEL_CFLAGS) $(KERNEL_CFLAGS_$(2)) -I$(4)/arch/$(2) \
	$(KERNEL_HEADERS) -I$(KERNEL_DIR)/$(2) $(3)
$(1)_lib := $(patsubst $(KTLB_DIR)/src/%,$(4)/%,$(KTLB_SRCS_$(2)))
$(1)_kernel := $(wildcard $(KERNEL_DIR)/*.c $(KERNEL_DIR)/$(2)/*.c) \
	$(filter-out %/user.S,$(wildcard $(KERNEL_DIR)/$(2)/*.S))
$(1)_user := $(wildcard $(KERNEL_DIR)/user/*.c) $(KERNEL_DIR)/$(2)/user.S

$$(foreach s,$$($(1)_lib),$$(eval $$(call kernel_compile,\
	$$(call kernel_objects,$(1)/lib,$$(s)),$$(s),$$($(1)_cc) -I$(4))))
$$(foreach s,$$($(1)_kernel),$$(eval $$(call kernel_compile,\
	$$(call kernel_objects,$(1)/kernel,$$(s)),$$(s),\
	$$($(1)_cc) -DUSER_IMAGE='"$(1)/user.bin"',\
	$$(if $$(filter %/start.S,$$(s)),$(1)/user.bin))))
$$(foreach s,$$($(1)_user),$$(eval $$(call kernel_compile,\
	$$(call kernel_objects,$(1)/user,$$(s)),$$(s),$$($(1)_cc))))

$(1)/user.elf: $$(call kernel_objects,$(1)/user,$$($(1)_user)) $(KERNEL_DIR)/user/user.ld
	$$(Q)$(KERNEL_LD_$(2)) -nostdlib -static -T $(KERNEL_DIR)/user/user.ld -o $$@ $$(filter %.o,$$^)

$(1)/user.bin: $(1)/user.elf
	$$(Q)$(KERNEL_OBJCOPY_$(2)) -O binary $$< $$@

$(1)/kernel.elf: $$(call kernel_objects,$(1)/lib,$$($(1)_lib)) \
		$$(call kernel_objects,$(1)/kernel,$$($(1)_kernel)) \
		$(KERNEL_DIR)/$(2)/kernel.ld
	$$(Q)$(KERNEL_LD_$(2)) -nostdlib -static -z max-page-size=4096 --no-warn-rwx-segments \
		-T $(KERNEL_DIR)/$(2)/kernel.ld -o $$@ $$(filter %.o,$$^)

-include $$(wildcard $(1)/*/*.d)
endef

# $(call kernel_variant,NAME,ARCH,EXTRA_CFLAGS[,SRC])
kernel_variant = $(call kernel_rules,$(B)/kernel-$(strip $(2))-$(strip $(1)),$(strip $(2)),$(3),\
	$(or $(strip $(4)),$(KTLB_DIR)/src))

# ---- the boot tests -------------------------------------------------------------------------------
#
#   boot-kernels   every build that tests/boot/boots names, the arms of all options, for those
#                  architectures that there is a compiler for
#   test-boot      all of its boots, one after the other; ends with "N passed, N failed"
#   run-ARCH       the boot tests on your terminal: CPUS=4 CPU=max WORDS='test ids=256'
#   debug-ARCH     the same, waiting for gdb-multiarch -ex 'target remote :1234' KERNEL

BOOT_VARIANTS_arm64 := default o1-before o3-before range-none range-always range-page ttbr1 \
	ttbr1-o3-before cnp measured split local no-count no-check unoptimised
BOOT_VARIANTS_x86_64 := default o4-before o5-before no-lazy no-keep origin measured split watchdog no-count no-check \
	unoptimised
BOOT_CFLAGS_default :=
BOOT_CFLAGS_o1-before := -DKTLB_CFG_OPT_THIS_CPU_ASID=0
BOOT_CFLAGS_o3-before := -DKTLB_CFG_OPT_CPU_ID_IN_THREAD=0
BOOT_CFLAGS_range-none := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_NONE
BOOT_CFLAGS_range-always := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_ALWAYS
BOOT_CFLAGS_range-page := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_PAGE_STRIDE
BOOT_CFLAGS_ttbr1 := -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1
BOOT_CFLAGS_ttbr1-o3-before := $(BOOT_CFLAGS_ttbr1) $(BOOT_CFLAGS_o1-before) $(BOOT_CFLAGS_o3-before)
BOOT_CFLAGS_cnp := -DKTLB_CFG_ARM64_CNP=1
BOOT_CFLAGS_measured := -DKTLB_CFG_CLOCK=1 -DKTLB_CFG_TLBI_COVER=KTLB_COVER_TWO
BOOT_CFLAGS_split := -DKTLB_CFG_SPLIT_IDS=1 -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1
BOOT_CFLAGS_local := -DKTLB_CFG_ARM64_LOCAL=1
BOOT_CFLAGS_o4-before := -DKTLB_CFG_OPT_KERNEL_NO_MASK=0
BOOT_CFLAGS_o5-before := -DKTLB_CFG_OPT_EARLY_OUT=0
BOOT_CFLAGS_no-lazy := -DKTLB_CFG_OPT_LAZY=0
BOOT_CFLAGS_no-keep := -DKTLB_CFG_OPT_KEEP_MASK_BIT=0
BOOT_CFLAGS_origin := $(BOOT_CFLAGS_o4-before) $(BOOT_CFLAGS_o5-before) $(BOOT_CFLAGS_no-lazy) \
	$(BOOT_CFLAGS_no-keep)
BOOT_CFLAGS_no-count := -DKTLB_CFG_COUNT=0
BOOT_CFLAGS_no-check := -DKTLB_CFG_CHECK=0
BOOT_CFLAGS_watchdog := -DKTLB_CFG_WATCHDOG=1 -DKTLB_CFG_CLOCK=1
BOOT_CFLAGS_unoptimised := -O0

# $(call boot_kernel,ARCH,VARIANT)
boot_kernel = $(B)/kernel-$(1)-$(2)/kernel.elf

# A day's patience, for the host and for the guest, whose clock runs on while you think.
define boot_rules
$(foreach v,$(BOOT_VARIANTS_$(1)),$(eval $(call kernel_variant,$(v),$(1),$(BOOT_CFLAGS_$(v)))))

.PHONY: run-$(1) debug-$(1)
run-$(1): $(call boot_kernel,$(1),default)
	@tools/run-$(1) -c $$(CPUS) -m $$(CPU) $$< $$(WORDS)

debug-$(1): $(call boot_kernel,$(1),default)
	@KTLB_TIMEOUT=86400 QEMU_EXTRA='-s -S' tools/run-$(1) -c $$(CPUS) -m $$(CPU) $$< \
		$$(WORDS) silent=86400 deadline=86400
endef
$(foreach a,arm64 x86_64,$(eval $(call boot_rules,$(a))))

# A build of a broken copy of the library: tests/boot/broken names both. What was left out of it may
# leave something unused.
BROKEN_ARCH ?= arm64
ifdef BROKEN
$(eval $(call kernel_variant,broken-$(BROKEN),$(BROKEN_ARCH),-Wno-error,$(BROKEN_SRC)))
endif

BOOT_ARCHS := $(foreach a,arm64 x86_64,\
	$(if $(shell command -v $(firstword $(KERNEL_CC_$(a))) 2>/dev/null),$(a)))
BOOT_KERNELS := $(foreach a,$(BOOT_ARCHS),\
	$(foreach v,$(BOOT_VARIANTS_$(a)),$(call boot_kernel,$(a),$(v))))
CPUS ?= 4
CPU ?= max
WORDS ?= test

.PHONY: boot-kernels test-boot
boot-kernels: $(BOOT_KERNELS)

test-boot: $(BOOT_KERNELS)
	@tests/boot/run $(B)
