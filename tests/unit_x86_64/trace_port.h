/* SPDX-License-Identifier: MIT */
/* The unit tests as a kernel that traces. */
#ifndef TRACE_PORT_H
#define TRACE_PORT_H

#include "fake.h"

static inline void ktlb_port_trace(const struct ktlb_trace_record *record)
{
	fake_trace_add(record);
}

#endif /* TRACE_PORT_H */
