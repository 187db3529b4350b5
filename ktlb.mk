# SPDX-License-Identifier: MIT
# What to compile: include this from your makefile. It defines lists and builds nothing.
#
#   KTLB_DIR          where this file is, unless you have set it
#   KTLB_SRCS_ARCH    the C files for arm64 or x86_64
#   KTLB_INCS_ARCH    the include directories, as -I flags
#
# ktlb sets no code-generation flag of its own. For arm64 add -mno-outline-atomics unless you link
# libgcc.
ifndef KTLB_DIR
KTLB_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
endif

KTLB_SRCS_arm64 := $(addprefix $(KTLB_DIR)/src/, ktlb_cpu.c ktlb_space.c ktlb_switch_global.c \
	ktlb_asid_global.c ktlb_flush.c ktlb_gather.c ktlb_need.c ktlb_shootdown_broadcast.c \
	ktlb_errata.c ktlb_stats.c ktlb_selftest.c ktlb_calibrate.c)
KTLB_INCS_arm64 := -I$(KTLB_DIR)/include -I$(KTLB_DIR)/src/arch/arm64
KTLB_SRCS_x86_64 := $(addprefix $(KTLB_DIR)/src/, ktlb_cpu.c ktlb_space.c ktlb_switch_percpu.c \
	ktlb_asid_percpu.c ktlb_flush.c ktlb_gather.c ktlb_need.c ktlb_shootdown_ipi.c \
	ktlb_errata.c ktlb_stats.c ktlb_selftest.c ktlb_calibrate.c)
KTLB_INCS_x86_64 := -I$(KTLB_DIR)/include -I$(KTLB_DIR)/src/arch/x86_64
