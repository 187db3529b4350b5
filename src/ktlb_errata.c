/* SPDX-License-Identifier: MIT */
/*
 * Errata as data: a table of the architecture says which CPUs have what, and the kernel decides what of
 * it is worked around. The library itself asks no CPU who it is: a machine's CPUs differ, some come
 * later, and what a hypervisor says of them is the kernel's to judge.
 */
#include "ktlb_text.h"

#include <ktlb_arch/errata.h>

#define ERRATA (sizeof(ktlb_arch_errata) / sizeof(ktlb_arch_errata[0]))

static const char *name_of(uint32_t bit)
{
	return bit == KTLB_ERRATUM_REPEAT_TLBI ? "repeat TLBI" : "INVLPG spares global entries";
}

uint32_t ktlb_errata(const struct ktlb_identity *cpus, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t cpu = 0; cpu < count; cpu++)
		for (uint32_t i = 0; i < ERRATA; i++)
			if (ktlb_arch_erratum_applies(&ktlb_arch_errata[i], &cpus[cpu]))
				found |= ktlb_arch_errata[i].bit;
	return found;
}

uint32_t ktlb_errata_used(void)
{
	return ktlb_sys.errata;
}

/* Of several CPUs of one kind a line is enough. */
static int applies_to_any(const struct ktlb_erratum *erratum, const struct ktlb_identity *cpus,
                          uint32_t count)
{
	for (uint32_t cpu = 0; cpu < count; cpu++)
		if (ktlb_arch_erratum_applies(erratum, &cpus[cpu]))
			return 1;
	return 0;
}

void ktlb_errata_print(const struct ktlb_identity *cpus, uint32_t count, ktlb_print_line *print,
                       void *arg)
{
	uint32_t found = ktlb_errata(cpus, count);
	struct ktlb_text text;

	for (uint32_t i = 0; i < ERRATA; i++) {
		const struct ktlb_erratum *erratum = &ktlb_arch_errata[i];

		if (!applies_to_any(erratum, cpus, count))
			continue;
		ktlb_text_begin(&text, "ktlb: ");
		ktlb_text_add(&text, erratum->cpu);
		ktlb_text_add(&text, ": erratum ");
		ktlb_text_add(&text, erratum->what);
		ktlb_text_add(&text, ", ");
		ktlb_text_add(&text, name_of(erratum->bit));
		ktlb_text_add(&text, ktlb_sys.errata & erratum->bit ? ": worked around"
		                                                    : ": NOT worked around");
		print(arg, text.line);
	}
	for (uint32_t bit = 1; bit <= KTLB_ERRATUM_ALL; bit <<= 1) {
		if (!(ktlb_sys.errata & ~found & bit))
			continue;
		ktlb_text_begin(&text, "ktlb: erratum ");
		ktlb_text_add(&text, name_of(bit));
		ktlb_text_add(&text, ": worked around, because the kernel wants it");
		print(arg, text.line);
	}
}
