/* SPDX-License-Identifier: MIT */
/*
 * arm64: which CPUs have which erratum, by MIDR_EL1.
 *
 * The implementer is in [31:24], the part in [15:4]; the revision is the variant [23:20] before the
 * revision proper [3:0]: 0x31 is r3p1. The parts are those of Arm's Technical Reference Manuals; who is
 * affected is from Arm's Software Developer Errata Notices and from the list that Linux 7.2 keeps
 * (arch/arm64/kernel/cpu_errata.c). For CVE-2025-10263 no fixed revision is known, so all are meant.
 */
#ifndef KTLB_ARCH_ERRATA_H
#define KTLB_ARCH_ERRATA_H

#include <ktlb/ktlb.h>

struct ktlb_erratum {
	uint32_t bit; /* KTLB_ERRATUM_* */
	uint32_t implementer, part, part_mask;
	uint32_t first, last; /* revisions */
	const char *cpu, *what;
};

/* All revisions. */
#define REPEAT(implementer, part, cpu, what)                                              \
	{                                                                                 \
		KTLB_ERRATUM_REPEAT_TLBI, implementer, part, 0xfff, 0x00, 0xff, cpu, what \
	}
#define CVE(implementer, part, cpu, what) REPEAT(implementer, part, cpu, what " (CVE-2025-10263)")

static const struct ktlb_erratum ktlb_arch_errata[] = {
	/* the older family */
	{KTLB_ERRATUM_REPEAT_TLBI, 0x41, 0xd0b, 0xfff, 0x00, 0x30, "Cortex-A76", "1286807"},
	{KTLB_ERRATUM_REPEAT_TLBI, 0x51, 0x804, 0xfff, 0xce, 0xfe, "Kryo 4xx Gold", "1286807"},
	REPEAT(0x41, 0xd05, "Cortex-A55", "2441007"),
	{KTLB_ERRATUM_REPEAT_TLBI, 0x41, 0xd46, 0xfff, 0x00, 0x11, "Cortex-A510", "2441009"},
	{KTLB_ERRATUM_REPEAT_TLBI, 0x51, 0x800, 0xfff, 0x00, 0x00, "Falkor", "Falkor 1009"},
	{KTLB_ERRATUM_REPEAT_TLBI, 0x51, 0x200, 0xf00, 0x00, 0xff, "Kryo", "Falkor 1009"},
	/* CVE-2025-10263 */
	CVE(0x41, 0xd0b, "Cortex-A76", "4193800"),
	CVE(0x41, 0xd0e, "Cortex-A76AE", "4193801"),
	CVE(0x41, 0xd0d, "Cortex-A77", "4193798"),
	CVE(0x41, 0xd41, "Cortex-A78", "4193791"),
	CVE(0x41, 0xd42, "Cortex-A78AE", "4193793"),
	CVE(0x41, 0xd4b, "Cortex-A78C", "4193794"),
	CVE(0x41, 0xd47, "Cortex-A710", "4193788"),
	CVE(0x41, 0xd44, "Cortex-X1", "4193791"),
	CVE(0x41, 0xd4c, "Cortex-X1C", "4193792"),
	CVE(0x41, 0xd48, "Cortex-X2", "4193788"),
	CVE(0x41, 0xd4e, "Cortex-X3", "4193786"),
	CVE(0x41, 0xd82, "Cortex-X4", "4118414"),
	CVE(0x41, 0xd85, "Cortex-X925", "4193781"),
	CVE(0x41, 0xd0c, "Neoverse-N1", "4193800"),
	CVE(0x41, 0xd49, "Neoverse-N2", "4193789"),
	CVE(0x41, 0xd40, "Neoverse-V1", "4193790"),
	CVE(0x41, 0xd4f, "Neoverse-V2", "4193787"),
	CVE(0x41, 0xd84, "Neoverse-V3", "4193784"),
	CVE(0x41, 0xd83, "Neoverse-V3AE", "4193784"),
	CVE(0x41, 0xd8c, "C1-Ultra", "4193780"),
	CVE(0x41, 0xd90, "C1-Premium", "4193780"),
	CVE(0x4e, 0x010, "Olympus", "T410-OLY-1029"),
	CVE(0x6d, 0xd49, "Cobalt 100", "4193789"),
};

#undef CVE
#undef REPEAT

static inline int ktlb_arch_erratum_applies(const struct ktlb_erratum *erratum,
                                            const struct ktlb_identity *cpu)
{
	uint64_t midr = cpu->id;
	uint32_t revision = (uint32_t)((midr >> 16 & 0xf0) | (midr & 0xf));

	return (midr >> 24 & 0xff) == erratum->implementer &&
	       (midr >> 4 & erratum->part_mask) == erratum->part && revision >= erratum->first &&
	       revision <= erratum->last;
}

#endif /* KTLB_ARCH_ERRATA_H */
