/* SPDX-License-Identifier: MIT */
/* The unit tests as a kernel that brings its own CPU numbers and per-CPU base. */
#ifndef KERNEL_PORT_H
#define KERNEL_PORT_H

#include "fake.h"

/* Where the kernel's base register points, as against ktlb's own which holds a distance. */
static inline struct ktlb_cpu *ktlb_port_this_cpu(void)
{
	return fake_kernel_state();
}

static inline uint32_t ktlb_port_cpu_id(void)
{
	return fake_this_number();
}

#endif /* KERNEL_PORT_H */
