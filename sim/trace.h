/* SPDX-License-Identifier: MIT */
/* What is kept of a run that is shown. */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdint.h>
#include <stdio.h>

void trace_forget_names(void);
void trace_begin(void);
/* As lanes: one column a CPU, time downwards, as a comment can carry it. */
void trace_print(FILE *to);
/* For Chrome's trace viewer and Perfetto. */
void trace_write_json(FILE *to);
const char *trace_cpu_name(uint32_t cpu);

#endif /* SIM_TRACE_H */
