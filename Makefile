# SPDX-License-Identifier: MIT
#
# make            the host programs: unit tests in the main option sets
# make test       runs them; gcc, make and cmocka are all it takes
# make demo       the main job: boots the sample kernel, prints the tables, writes out/
# make check      everything that must hold; what cannot run here says SKIP and why
# make check-quick  the checker alone, in three minutes
# make hunt SECONDS=600  the checker alone, on all cores, for as long as you like
# make check-fresh  demo.sh and check.sh in a minimal Debian of their own (root, debootstrap)
# make run-arm64  the sample kernel's boot tests on your terminal: CPUS=4 CPU=max WORDS='test ids=256'
# make format     lays the C files out
#
# Everything that is made goes to build/ and out/. V=1 shows the commands.

B := build
Q := $(if $(V),,@)
CC ?= gcc
HOST_WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wundef -Wvla \
	-Wmissing-prototypes -Wstrict-prototypes -Wcast-align -Werror

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:

include ktlb.mk

# ---- unit tests ----------------------------------------------------------------------------------
#
# An option set is a name and flags; each test is built once for each set. `unit_set` makes the rules
# of one set: its programs are $(B)/unit/SET/test_*. The variables UNIT_CC, UNIT_FLAGS and UNIT_DIR
# let tests/check build all of it again with another compiler or a sanitizer.

UNIT_CC ?= $(CC)
UNIT_FLAGS ?= -O2
UNIT_DIR ?= $(B)/unit
UNIT_SRC ?= src

SET_default :=
SET_before := -DKTLB_CFG_OPT_THIS_CPU_ASID=0 -DKTLB_CFG_OPT_CPU_ID_IN_THREAD=0 \
	-DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_NONE
SET_o1_before := -DKTLB_CFG_OPT_THIS_CPU_ASID=0
SET_o3_before := -DKTLB_CFG_OPT_CPU_ID_IN_THREAD=0
SET_range_none := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_NONE
SET_range_always := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_ALWAYS
SET_range_page_stride := -DKTLB_CFG_TLBI_RANGE=KTLB_TLBI_PAGE_STRIDE
SET_ttbr1 := -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1
SET_cnp := -DKTLB_CFG_ARM64_CNP=1
SET_cover_two := -DKTLB_CFG_TLBI_COVER=KTLB_COVER_TWO
SET_cover_one := -DKTLB_CFG_TLBI_COVER=KTLB_COVER_ONE -DKTLB_CFG_CLOCK=1
SET_split := -DKTLB_CFG_SPLIT_IDS=1 -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1
SET_local := -DKTLB_CFG_ARM64_LOCAL=1
SET_16k := -DKTLB_CFG_ARM64_GRANULE_SHIFT=14
SET_64k := -DKTLB_CFG_ARM64_GRANULE_SHIFT=16
SET_lpa2 := -DKTLB_CFG_ARM64_LPA2=1
SET_16k_lpa2 := -DKTLB_CFG_ARM64_GRANULE_SHIFT=14 -DKTLB_CFG_ARM64_LPA2=1
SET_no_count := -DKTLB_CFG_COUNT=0
SET_trace := -DKTLB_CFG_TRACE=1 -DKTLB_CFG_COUNT=0 -DKTLB_PORT_FILE='"trace_port.h"'
SET_no_check := -DKTLB_CFG_CHECK=0
SET_secondary := -DKTLB_CFG_SECONDARY=1
SET_thread_offset := -DKTLB_CFG_THREAD_OFFSET=4
SET_line_128 := -DKTLB_CFG_CACHE_LINE=128
SET_kernels_own := -DKTLB_CFG_CPU_ID=KTLB_KERNEL -DKTLB_CFG_PERCPU=KTLB_KERNEL \
	-DKTLB_PORT_FILE='"kernel_port.h"'
SET_cpus_1 := -DKTLB_CFG_MAX_CPUS=1
SET_cpus_63 := -DKTLB_CFG_MAX_CPUS=63
SET_cpus_65 := -DKTLB_CFG_MAX_CPUS=65
SET_cpus_256 := -DKTLB_CFG_MAX_CPUS=256
SET_cpus_1024 := -DKTLB_CFG_MAX_CPUS=1024
SET_flipped := $(SET_before) $(SET_ttbr1) $(SET_16k_lpa2) $(SET_no_count) $(SET_no_check) \
	$(SET_thread_offset) $(SET_line_128) $(SET_cpus_1024)

UNIT_SETS_ALL := default before o1_before o3_before range_none range_always range_page_stride \
	ttbr1 16k 64k lpa2 16k_lpa2 no_count no_check trace secondary thread_offset line_128 kernels_own cpus_1 \
	cpus_63 cpus_65 cpus_256 cpus_1024 flipped cnp cover_two cover_one split local
UNIT_SETS ?= default before kernels_own cpus_1024 flipped cnp cover_two cover_one split local trace
UNIT_TESTS := operands plan cover cpuset ids kept flush gather need switch misuse cpus errata selftest trace
UNIT_TESTS_local := local ids kept misuse cpus # the others know broadcasts alone
UNIT_TESTS_split := pairs # the others know one id a space
UNIT_SRCS = $(patsubst $(KTLB_DIR)/src/%,$(UNIT_SRC)/%,$(KTLB_SRCS_arm64)) tests/unit/fake.c
UNIT_INCS = -Itests/unit -Iinclude -I$(UNIT_SRC)/arch/arm64 -I$(UNIT_SRC)

define unit_set
$(UNIT_DIR)/$(1)/lib/%.o: $(UNIT_SRC)/%.c
	@mkdir -p $$(@D)
	$(Q)$(UNIT_CC) -std=gnu11 -g $(UNIT_FLAGS) $(HOST_WARN) $(SET_$(1)) $(UNIT_INCS) -MMD -MP -c $$< -o $$@
$(UNIT_DIR)/$(1)/%.o: tests/unit/%.c
	@mkdir -p $$(@D)
	$(Q)$(UNIT_CC) -std=gnu11 -g $(UNIT_FLAGS) $(HOST_WARN) $(SET_$(1)) $(UNIT_INCS) -MMD -MP -c $$< -o $$@
$(UNIT_DIR)/$(1)/test_%: $(UNIT_DIR)/$(1)/test_%.o $(UNIT_DIR)/$(1)/fake.o \
		$(patsubst $(KTLB_DIR)/src/%.c,$(UNIT_DIR)/$(1)/lib/%.o,$(KTLB_SRCS_arm64))
	$(Q)$(UNIT_CC) -g $(UNIT_FLAGS) $$^ -lcmocka -lpthread -o $$@
.PRECIOUS: $(UNIT_DIR)/$(1)/%.o $(UNIT_DIR)/$(1)/lib/%.o
-include $(wildcard $(UNIT_DIR)/$(1)/*.d $(UNIT_DIR)/$(1)/lib/*.d)
endef
$(foreach set,$(UNIT_SETS),$(eval $(call unit_set,$(set))))

# The x86-64 half on its own fake machine, the same way: $(UNIT_DIR)/x86_64-SET/test_*.
SET_x86_64-default :=
SET_x86_64-origin := -DKTLB_CFG_OPT_KERNEL_NO_MASK=0 -DKTLB_CFG_OPT_EARLY_OUT=0 \
	-DKTLB_CFG_OPT_LAZY=0 -DKTLB_CFG_OPT_KEEP_MASK_BIT=0
SET_x86_64-o4_before := -DKTLB_CFG_OPT_KERNEL_NO_MASK=0
SET_x86_64-o4_idle := -DKTLB_CFG_OPT_LAZY=0 -DKTLB_CFG_OPT_KEEP_MASK_BIT=0
SET_x86_64-o5_before := -DKTLB_CFG_OPT_EARLY_OUT=0
SET_x86_64-no_lazy := -DKTLB_CFG_OPT_LAZY=0
SET_x86_64-no_keep := -DKTLB_CFG_OPT_KEEP_MASK_BIT=0
SET_x86_64-no_count := -DKTLB_CFG_COUNT=0
SET_x86_64-trace := $(SET_trace)
SET_x86_64-no_check := -DKTLB_CFG_CHECK=0
SET_x86_64-secondary := -DKTLB_CFG_SECONDARY=1
SET_x86_64-split := -DKTLB_CFG_SPLIT_IDS=1
SET_x86_64-clock := -DKTLB_CFG_CLOCK=1
SET_x86_64-watchdog := -DKTLB_CFG_WATCHDOG=1 -DKTLB_CFG_CLOCK=1
SET_x86_64-cpus_1024 := -DKTLB_CFG_MAX_CPUS=1024
UNIT_SETS_x86_64 := x86_64-default x86_64-origin x86_64-o4_before x86_64-o4_idle x86_64-o5_before \
	x86_64-no_lazy x86_64-no_keep x86_64-no_count x86_64-no_check x86_64-trace x86_64-secondary x86_64-clock x86_64-split x86_64-watchdog \
	x86_64-cpus_1024
UNIT_INCS_x86_64 = -Itests/unit_x86_64 -Iinclude -I$(UNIT_SRC)/arch/x86_64 -I$(UNIT_SRC)

define unit_set_x86_64
$(UNIT_DIR)/$(1)/lib/%.o: $(UNIT_SRC)/%.c
	@mkdir -p $$(@D)
	$(Q)$(UNIT_CC) -std=gnu11 -g $(UNIT_FLAGS) $(HOST_WARN) $(SET_$(1)) $(UNIT_INCS_x86_64) -MMD -MP -c $$< -o $$@
$(UNIT_DIR)/$(1)/%.o: tests/unit_x86_64/%.c
	@mkdir -p $$(@D)
	$(Q)$(UNIT_CC) -std=gnu11 -g $(UNIT_FLAGS) $(HOST_WARN) $(SET_$(1)) $(UNIT_INCS_x86_64) -MMD -MP -c $$< -o $$@
$(UNIT_DIR)/$(1)/test_%: $(UNIT_DIR)/$(1)/test_%.o $(UNIT_DIR)/$(1)/fake.o \
		$(patsubst $(KTLB_DIR)/src/%.c,$(UNIT_DIR)/$(1)/lib/%.o,$(KTLB_SRCS_x86_64))
	$(Q)$(UNIT_CC) -g $(UNIT_FLAGS) $$^ -lcmocka -o $$@
$(UNIT_DIR)/$(1)/stress: $(UNIT_DIR)/$(1)/stress.o $(UNIT_DIR)/$(1)/fake.o \
		$(patsubst $(KTLB_DIR)/src/%.c,$(UNIT_DIR)/$(1)/lib/%.o,$(KTLB_SRCS_x86_64))
	$(Q)$(UNIT_CC) -g $(UNIT_FLAGS) $$^ -lcmocka -lpthread -o $$@
.PRECIOUS: $(UNIT_DIR)/$(1)/%.o $(UNIT_DIR)/$(1)/lib/%.o
-include $(wildcard $(UNIT_DIR)/$(1)/*.d $(UNIT_DIR)/$(1)/lib/*.d)
endef
$(foreach set,$(UNIT_SETS_x86_64),$(eval $(call unit_set_x86_64,$(set))))

UNIT_TESTS_x86_64 := percpu protocol hotplug gather need costs look watchdog loaded porting trace
UNIT_TESTS_x86_64-split := split

# With real concurrency, two seconds each: those sets whose protocol differs.
STRESS_SETS := x86_64-default x86_64-no_lazy x86_64-no_keep x86_64-origin

# The simulated machine's own tests: TLB and instructions beside a memory that is a stub.
SIM_TESTS := tlb cpu_x86_64 cpu_arm64 cpu_arm64_ttbr1 cpu_arm64_lpa2
SIM_TEST_FLAGS_cpu_x86_64 := -Isim/x86_64
SIM_TEST_FLAGS_cpu_arm64 := -Isim/arm64
SIM_TEST_FLAGS_cpu_arm64_ttbr1 := -Isim/arm64 -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1
SIM_TEST_FLAGS_cpu_arm64_lpa2 := -Isim/arm64 -DKTLB_CFG_ARM64_LPA2=1
sim_test_of = $(if $(findstring arm64,$(1)),cpu_arm64,$(1))
define sim_test
$(UNIT_DIR)/sim/test_$(1): sim/tlb.c $(if $(findstring cpu,$(1)),sim/$(call sim_test_of,$(1)).c) \
		tests/sim/stub.c tests/sim/test_$(call sim_test_of,$(1)).c $(wildcard sim/*.h tests/sim/*.h)
	@mkdir -p $$(@D)
	$(Q)$(UNIT_CC) -std=gnu11 -g $(UNIT_FLAGS) $(HOST_WARN) -Iinclude -Isim -Itests/sim \
		$(SIM_TEST_FLAGS_$(1)) $$(filter %.c,$$^) -lcmocka -o $$@
endef
$(foreach test,$(SIM_TESTS),$(eval $(call sim_test,$(test))))

# Its CPUs, threads, interrupts, memory and searches: the tests' bodies run on it.
$(UNIT_DIR)/sim/test_machine: tests/sim/test_machine.c $(patsubst %,sim/%.c,hooks mem sched choose trace) \
		$(wildcard sim/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -g -Isim -Wall -Wextra -Wshadow -Werror -fno-common -fno-stack-protector \
		-fcf-protection=none -O1 $(CHECK_HOOKS_gcc) -c tests/sim/test_machine.c -o $@.o
	$(Q)$(CC) -std=gnu11 -g -Isim -Wall -Wextra -Werror -O2 $@.o \
		$(patsubst %,sim/%.c,hooks mem sched choose trace) -lcmocka -o $@

UNIT_PROGRAMS := $(UNIT_DIR)/sim/test_machine $(SIM_TESTS:%=$(UNIT_DIR)/sim/test_%) \
	$(foreach set,$(STRESS_SETS),$(UNIT_DIR)/$(set)/stress) \
	$(foreach set,$(UNIT_SETS_x86_64),$(addprefix $(UNIT_DIR)/$(set)/test_,$(or $(UNIT_TESTS_$(set)),$(UNIT_TESTS_x86_64)))) \
	$(foreach set,$(UNIT_SETS),$(addprefix $(UNIT_DIR)/$(set)/test_,$(or $(UNIT_TESTS_$(set)),$(UNIT_TESTS))))

.PHONY: all unit test
all: unit engines-quick
unit: $(UNIT_PROGRAMS)

test: unit
	@tests/unit/run $(UNIT_PROGRAMS)

# ---- the sample kernel, the demo, the checks -----------------------------------------------------

include kernel/kernel.mk
include lab/lab.mk
include checker/checker.mk

.PHONY: check check-quick hunt check-fresh format clean
check:
	@tests/check

# What the checker can say within three minutes.
check-quick: engines-quick
	@tests/checker quick

# On and on, with seeds that nobody has tried: make hunt SECONDS=3600 [SEED=...]
SECONDS ?= 600
SEED ?= $(shell date +%s)
hunt: engines
	$(B)/ktlb-check run --seconds $(SECONDS) --seed $(SEED)

check-fresh:
	@tools/check-fresh

# For scripts: the library's files for ARCH.
.PHONY: print-srcs
print-srcs:
	@echo $(KTLB_SRCS_$(ARCH))

C_FILES = $(shell git ls-files '*.[ch]')
format:
	clang-format -i $(C_FILES)

clean:
	rm -rf $(B) out
