/* SPDX-License-Identifier: MIT */
/*
 * x86-64: which CPUs have which erratum, by what CPUID says.
 *
 * The model's upper half is in EAX[19:16] of leaf 1, its lower half in [7:4], the family in [11:8]
 * (Intel SDM volume 2, "CPUID"); the hypervisor bit is ECX[31]. Models: Intel's specification updates of
 * the 12th and 13th generation (errata ADL063, RPL042). The microcode revisions that mend it are those
 * that Linux 6.11 goes by (arch/x86/mm/init.c). A guest is shown what its hypervisor likes, so that the
 * revision says nothing there: it counts as affected.
 */
#ifndef KTLB_ARCH_ERRATA_H
#define KTLB_ARCH_ERRATA_H

#include <ktlb/ktlb.h>

struct ktlb_erratum {
	uint32_t bit;    /* KTLB_ERRATUM_* */
	uint32_t model;  /* Intel, family 6 */
	uint32_t mended; /* by microcode of this revision */
	const char *cpu, *what;
};

static const struct ktlb_erratum ktlb_arch_errata[] = {
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0x97, 0x2e, "Alder Lake", "ADL063"},
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0x9a, 0x42c, "Alder Lake-L", "ADL063"},
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0xbe, 0x11, "Alder Lake-N", "ADL063"},
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0xb7, 0x118, "Raptor Lake", "RPL042"},
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0xba, 0x4117, "Raptor Lake-P", "RPL042"},
	{KTLB_ERRATUM_INVLPG_GLOBAL, 0xbf, 0x2e, "Raptor Lake-S", "RPL042"},
};

#define KTLB_X86_VENDOR_INTEL 0x756e6547u /* "Genu" */
#define KTLB_X86_HYPERVISOR   ((uint64_t)1 << 63)

static inline int ktlb_arch_erratum_applies(const struct ktlb_erratum *erratum,
                                            const struct ktlb_identity *cpu)
{
	uint32_t family = (uint32_t)(cpu->id >> 8 & 15);
	uint32_t model = (uint32_t)((cpu->id >> 12 & 0xf0) | (cpu->id >> 4 & 15));

	return cpu->vendor == KTLB_X86_VENDOR_INTEL && family == 6 && model == erratum->model &&
	       (cpu->microcode < erratum->mended || (cpu->id & KTLB_X86_HYPERVISOR));
}

#endif /* KTLB_ARCH_ERRATA_H */
