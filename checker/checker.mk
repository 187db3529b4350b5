# SPDX-License-Identifier: MIT
# The checker. The top Makefile includes this, after its option sets (SET_...).
#
#   build/ktlb-check   the front-end: gcc and make are all it takes
#   engines            build/check/ARCH-OPTIONS/engine: simulated machine, library, scenarios
#   mutants            build/check/ARCH-OPTIONS+MUTATION/engine: the same, with one file broken
#
# An engine is linked from two halves. What runs on the simulated machine - the library and the
# scenarios - is compiled with -fsanitize=thread, whose hooks sim/hooks.c implements; their real
# implementation is never linked. All its variables go into one section, `simdata`, which is copied
# back before each run. The machine itself is compiled as usual.
#
# CHECK_CC is gcc or clang: a seed is the same run with both, and at each level (CHECK_LEVEL).

CHECK_DIR ?= $(B)/check
CHECK_CC ?= $(CC)
CHECK_LEVEL ?= -O1
CHECK_OBJCOPY ?= objcopy

# What the compilers do without being asked, and the hooks cannot see: docs/CHECKER.md.
CHECK_HOOKS_gcc := -fsanitize=thread --param tsan-instrument-func-entry-exit=0 \
	--param tsan-distinguish-volatile=1 -Wno-tsan
CHECK_HOOKS_clang := -fsanitize=thread -mllvm -tsan-instrument-func-entry-exit=0 \
	-mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-distinguish-volatile=1 \
	-fno-vectorize -fno-slp-vectorize -fno-unroll-loops
CHECK_HOOKS := $(CHECK_HOOKS_$(if $(findstring clang,$(notdir $(CHECK_CC))),clang,gcc))

CHECK_COMMON := -std=gnu11 -g -fno-common -fno-stack-protector -fcf-protection=none -Wall -Wextra -Werror
CHECK_INSIDE = $(CHECK_COMMON) $(CHECK_LEVEL) $(CHECK_HOOKS)
CHECK_OUTSIDE := $(CHECK_COMMON) -O2

# ---- option sets --------------------------------------------------------------------------------
#
# The flags are those of the unit tests, where they have them. 8 CPUs at most, and one set with 70,
# whose CPU sets are two words.

CHECK_SETS_x86_64 := default origin o4_before o5_before no_lazy no_keep no_check cpus_70
CHECK_SETS_arm64 := default local before ttbr1 range_none range_always range_page_stride no_check cpus_70
CHECK_FLAGS_x86_64 = $(SET_x86_64-$(1))
CHECK_FLAGS_arm64 = $(SET_$(1))
SET_x86_64-cpus_70 :=
SET_cpus_70 :=

# $(call check_cpus,SET)
check_cpus = $(if $(filter cpus_70,$(1)),-DKTLB_CFG_MAX_CPUS=70 -DSIM_CPUS=70,-DKTLB_CFG_MAX_CPUS=8)
# $(call check_machine,SET): the machine depends on nothing else
check_machine = $(if $(filter cpus_70 ttbr1,$(1)),$(1),8)
CHECK_MACHINE_cpus_70 := -DSIM_CPUS=70
CHECK_MACHINE_ttbr1 := -DKTLB_CFG_ARM64_ASID_IN_TTBR1=1

# $(call check_flags,ARCH,SET)
check_flags = $(call check_cpus,$(2)) -DKTLB_CFG_COUNT=1 -DKTLB_ORDER_DEPENDENCY=__ATOMIC_CONSUME $(call CHECK_FLAGS_$(1),$(2)) \
	-Isim/$(1) -Isim -Ichecker -Iinclude -Isrc/arch/$(1) -Isrc

CHECK_SIM_SRCS := $(patsubst %,sim/%.c,hooks mem sched choose trace tlb)
CHECK_INSIDE_SRCS := checker/world.c $(wildcard checker/scenario_*.c) $(wildcard checker/litmus_*.c)
CHECK_OUTSIDE_SRCS := checker/engine.c checker/oracle.c checker/litmus.c

# $(call check_objects,DIRECTORY,FILES)
check_objects = $(addprefix $(1)/,$(notdir $(2:.c=.o)))

# $(call check_outside,ARCH,SET): the objects that do not run on the simulated machine
check_outside = $(call check_objects,$(CHECK_DIR)/$(1)-$(2)/outside,$(CHECK_OUTSIDE_SRCS)) \
	$(call check_objects,$(CHECK_DIR)/machine-$(1)-$(call check_machine,$(2)),$(CHECK_SIM_SRCS) \
		sim/cpu_$(1).c)

# ---- the machine: once for each architecture and kind of machine ---------------------------------

define check_machine_rules
$(CHECK_DIR)/machine-$(1)-$(2)/%.o: sim/%.c
	@mkdir -p $$(@D)
	$(Q)$(CHECK_CC) $(CHECK_OUTSIDE) $(CHECK_MACHINE_$(2)) -Isim/$(1) -Isim -Ichecker \
		-Iinclude -MMD -MP -c $$< -o $$@
.PRECIOUS: $(CHECK_DIR)/machine-$(1)-$(2)/%.o
-include $(wildcard $(CHECK_DIR)/machine-$(1)-$(2)/*.d)
endef
$(foreach a,x86_64 arm64,$(foreach n,8 cpus_70 ttbr1,$(eval $(call check_machine_rules,$(a),$(n)))))

# ---- engines ------------------------------------------------------------------------------------
#
# A mutant is built, by checker/mutant, from an engine's objects, with the flags in its `flags`, and
# linked with what is in its `outside.list`.

define check_engine_rules
$(CHECK_DIR)/$(1)-$(2)/lib/%.o: src/%.c $(CHECK_DIR)/$(1)-$(2)/flags
	@mkdir -p $$(@D)
	$(Q)$(CHECK_CC) $$(CHECK_INSIDE) $(call check_flags,$(1),$(2)) -MMD -MP -c $$< -o $$@
$(CHECK_DIR)/$(1)-$(2)/inside/%.o: checker/%.c $(CHECK_DIR)/$(1)-$(2)/flags
	@mkdir -p $$(@D)
	$(Q)$(CHECK_CC) $$(CHECK_INSIDE) $(call check_flags,$(1),$(2)) -MMD -MP -c $$< -o $$@
$(CHECK_DIR)/$(1)-$(2)/outside/%.o: checker/%.c $(CHECK_DIR)/$(1)-$(2)/flags
	@mkdir -p $$(@D)
	$(Q)$(CHECK_CC) $$(CHECK_OUTSIDE) $(call check_flags,$(1),$(2)) -MMD -MP -c $$< -o $$@
$(CHECK_DIR)/$(1)-$(2)/flags: checker/checker.mk
	@mkdir -p $$(@D)
	@echo '$$(CHECK_INSIDE) $(call check_flags,$(1),$(2))' >$$@
$(CHECK_DIR)/$(1)-$(2)/engine: checker/link \
		$(call check_objects,$(CHECK_DIR)/$(1)-$(2)/lib,$(KTLB_SRCS_$(1))) \
		$(call check_objects,$(CHECK_DIR)/$(1)-$(2)/inside,$(CHECK_INSIDE_SRCS)) \
		$(call check_outside,$(1),$(2))
	@echo '$(call check_outside,$(1),$(2))' >$$(@D)/outside.list
	$(Q)CC='$(CHECK_CC)' OBJCOPY='$(CHECK_OBJCOPY)' checker/link $$@ \
		$(call check_objects,$(CHECK_DIR)/$(1)-$(2)/lib,$(KTLB_SRCS_$(1))) \
		$(call check_objects,$(CHECK_DIR)/$(1)-$(2)/inside,$(CHECK_INSIDE_SRCS)) \
		-- $(call check_outside,$(1),$(2))
.PRECIOUS: $(CHECK_DIR)/$(1)-$(2)/lib/%.o $(CHECK_DIR)/$(1)-$(2)/inside/%.o \
	$(CHECK_DIR)/$(1)-$(2)/outside/%.o
-include $(wildcard $(CHECK_DIR)/$(1)-$(2)/*/*.d)
CHECK_ENGINES += $(1)-$(2)
endef
CHECK_ENGINES :=
$(foreach a,x86_64 arm64,$(foreach s,$(CHECK_SETS_$(a)),$(eval $(call check_engine_rules,$(a),$(s)))))

.PHONY: engines engines-quick mutants check-front
engines: $(CHECK_ENGINES:%=$(CHECK_DIR)/%/engine) $(CHECK_DIR)/engines $(B)/ktlb-check
engines-quick: $(CHECK_DIR)/x86_64-default/engine $(CHECK_DIR)/arm64-default/engine \
	$(CHECK_DIR)/engines $(B)/ktlb-check

# A list of what there is, for the front-end.
$(CHECK_DIR)/engines: checker/checker.mk
	@mkdir -p $(@D)
	@printf '%s\n' $(CHECK_ENGINES) >$@

# ---- mutants ------------------------------------------------------------------------------------
#
# checker/mutations makes scripts/NAME.sed of all of them and the list `mutants`, of engines. It
# touches a script only when that changes. MUTANTS is that list, in the make below this one.

.PHONY: check-scripts
check-scripts:
	@checker/mutations $(CHECK_DIR)

mutants: check-scripts engines-quick
	$(Q)$(MAKE) -f $(firstword $(MAKEFILE_LIST)) --no-print-directory check-mutants MUTANTS="$$(tr '\n' ' ' <$(CHECK_DIR)/mutants)"

MUTANTS ?=
.PHONY: check-mutants
check-mutants: $(MUTANTS:%=$(CHECK_DIR)/%/engine)

# The demo's last part: one mutation, and the shipped code.
.PHONY: demo-checker
demo-checker: check-scripts $(CHECK_DIR)/x86_64-default/engine $(CHECK_DIR)/engines $(B)/ktlb-check
	$(Q)CC='$(CHECK_CC)' OBJCOPY='$(CHECK_OBJCOPY)' checker/mutant $(CHECK_DIR) \
		x86_64-default+x86_generation_zero_is_old
	@checker/demo $(B)

# $(call mutant_base,ARCH-SET+MUTATION), $(call mutant_script,...)
mutant_base = $(firstword $(subst +, ,$(1)))
mutant_script = $(CHECK_DIR)/scripts/$(lastword $(subst +, ,$(1))).sed
define mutant_rule
$(CHECK_DIR)/$(1)/engine: $(CHECK_DIR)/$(call mutant_base,$(1))/engine $(call mutant_script,$(1)) \
		checker/mutant tests/broken/prepare
	$(Q)CC='$(CHECK_CC)' OBJCOPY='$(CHECK_OBJCOPY)' checker/mutant $(CHECK_DIR) $(1)
endef
$(foreach m,$(MUTANTS),$(eval $(call mutant_rule,$(m))))

# ---- the front-end ------------------------------------------------------------------------------

CHECK_FRONT_SRCS := $(patsubst %,checker/%.c,main catalog jobs run mutants report)
CHECK_FRONT_OBJS := $(CHECK_FRONT_SRCS:checker/%.c=$(CHECK_DIR)/front/%.o)
$(CHECK_DIR)/front/%.o: checker/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -g -Wpedantic $(HOST_WARN) -MMD -MP -c $< -o $@
$(B)/ktlb-check: $(CHECK_FRONT_OBJS)
	$(Q)$(CC) $^ -o $@
-include $(wildcard $(CHECK_DIR)/front/*.d)
check-front: $(B)/ktlb-check
