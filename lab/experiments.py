# SPDX-License-Identifier: MIT
"""The experiments: which boots each origin needs, and how their counts become results.

A Result is one metric of one case in all arms, with the origin's own figure of the same case where
it published one. Kernel variants are named as in lab/lab.mk.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import kvm
from boot import Boot
from counts import LIBRARY

Number = int | float
Counts = Mapping[Boot, Mapping[str, Counter[str]]]

PAGES = (*range(1, 11), 16, 32, 64, 128, 256, 512)
STRIDES = (4096, 2097152)
RANGES = "max"
NO_RANGES = "cortex-a72"
PHASES = (0, 1, 2)

# A limit so high that no flush of the experiment becomes one of the whole space.
MICRO = "bench micro full=1000000"
MICRO_DEFAULT_LIMIT = "bench micro"
MESSAGES = "bench messages groups=1 loops={loops} phase={phase}"
LOOPS = 100

O1_ARMS = {"before": "o1-before", "after": "default"}
O2_ARMS = {"NONE": "o2-none", "ALWAYS": "o2-always", "PAGE_STRIDE": "o2-page", "PLANNER": "default"}
O2_ARMS_NO_RANGES = {"NONE": "o2-none", "PAGE_STRIDE": "o2-page"}
O3_ARMS = {"before": "o3-before", "after": "default"}

# x86-64. The origin's idle loads the kernel's root each time, and takes the CPU out of the set of
# the space that it leaves; ktlb by default does neither.
O4_ARMS = {"before": "o4-before", "after": "o4-after", "defaults": "default"}
O5_ARMS = {"before": "storm-before", "after": "storm-after"}
PAIRS = "bench pairs loops={loops} phase={phase}"
PAIRS_LOOPS = 200
STORM = "bench storm loops={loops} phase={phase}"
STORM_LOOPS = 200
STORM_CPUS = (2, 4, 8)

# A counter of the plugin and what it is called in a table.
INSTRUCTIONS = ("instructions", "instructions")
ACCESSES = ("accesses", "memory accesses")
SWITCH_METRICS = (
    INSTRUCTIONS,
    ("load", "loads"),
    ("store", "stores"),
    ("atomic", "atomics"),
    ACCESSES,
)
MESSAGE_METRICS = (
    INSTRUCTIONS,
    ACCESSES,
    ("atomic", "atomics"),
    ("called", "switches"),
    ("ttbr", "root writes"),
)
TRIP_METRICS = (("atomic", "atomics"), INSTRUCTIONS, ("root", "root writes"))
PAIRS_METRICS = (
    ("atomic", "atomics"),
    INSTRUCTIONS,
    ("root", "root writes"),
    ("called", "switches"),
    ("interrupt", "interrupts"),
)
# What becomes of a request, by the library's counters; each of them for each one handled.
STORM_METRICS = (
    ("generation_read", "generation reads"),
    ("handled_full", "full flushes"),
    ("handled_range", "range flushes"),
    ("handled_satisfied", "skipped: satisfied"),
    ("handled_caught_up", "skipped: caught up"),
    ("handled_other", "skipped: another space"),
    ("handled_lazy", "skipped: lazy"),
)
PER_INTERRUPT = "requests per interrupt"
SHOOTDOWNS = "shootdowns an iteration"
STORM_UNITS = {PER_INTERRUPT: "requests", SHOOTDOWNS: "shootdowns"}
NANOSECONDS = "nanoseconds (KVM)"
SWITCH_CASES = ("switch hit", "switch to the space that is loaded", "enter lazy")


@dataclass(frozen=True)
class Result:
    """One line of out/demo.json."""

    origin: str
    case: str
    metric: str
    unit: str
    arms: dict[str, Number]
    origin_arms: dict[str, Number] = field(default_factory=dict)
    origin_unit: str | None = None
    arch: str = "arm64"

    def as_json(self) -> dict[str, object]:
        """The form of out/demo.json."""
        return {
            "origin": self.origin,
            "arch": self.arch,
            "case": self.case,
            "metric": self.metric,
            "unit": self.unit,
            "arms": self.arms,
            "origin_arms": self.origin_arms,
            "origin_unit": self.origin_unit,
        }


class Origins:
    """The origins' own figures, from lab/origins.json."""

    def __init__(self, path: Path) -> None:
        self.data = json.loads(path.read_text(encoding="utf-8"))

    def table(self, origin: str, case: str) -> dict:
        """The published table of a case; "*" in its name stands for the row."""
        return next(t for t in self.data[origin]["tables"] if t["case"] == case)

    def arms(self, origin: str, case: str, row: object = "all") -> dict[str, Number]:
        """One row of such a table: the value of each column."""
        table = self.table(origin, case)
        return dict(zip(table["columns"], table["rows"][str(row)], strict=True))


def micro(variant: str, cpu: str = RANGES) -> Boot:
    """The boot that measures single calls."""
    return Boot(variant, cpu, MICRO if cpu == RANGES else MICRO_DEFAULT_LIMIT)


def messages(variant: str, phase: int) -> Boot:
    """The boot that runs the message benchmark."""
    return Boot(variant, RANGES, MESSAGES.format(loops=LOOPS, phase=phase))


def boots(origins: set[str], archs: tuple[str, ...]) -> list[Boot]:
    """All boots that these origins need, each once, the longest first."""
    wanted = boots_x86_64(origins) if "x86_64" in archs else []
    if "arm64" in archs:
        wanted += boots_arm64(origins)
    return list(dict.fromkeys(wanted))


def boots_arm64(origins: set[str]) -> list[Boot]:
    """Those of arm64."""
    wanted: list[Boot] = []
    if "O1" in origins:
        wanted += [messages(v, phase) for phase in PHASES for v in O1_ARMS.values()]
        wanted += [micro(v) for v in O1_ARMS.values()]
    if "O2" in origins:
        wanted += [micro(v) for v in O2_ARMS.values()]
        wanted += [micro(v, NO_RANGES) for v in O2_ARMS_NO_RANGES.values()]
    if "O3" in origins:
        wanted += [micro(v) for v in O3_ARMS.values()]
    return wanted


def boots_x86_64(origins: set[str]) -> list[Boot]:
    """Those of x86-64."""
    wanted: list[Boot] = []
    if "O5" in origins:
        for cpus in reversed(STORM_CPUS):
            wanted += [storm(v, cpus, phase) for phase in PHASES for v in O5_ARMS.values()]
    if "O4" in origins:
        wanted += [pairs(v, phase) for phase in PHASES for v in O4_ARMS.values()]
        wanted += [micro_x86_64(v) for v in O4_ARMS.values()]
    if "O3" in origins:
        wanted += [micro_x86_64(v) for v in O3_ARMS.values()]
    return wanted


def micro_x86_64(variant: str) -> Boot:
    """The boot that measures single calls."""
    return Boot(variant, "max", "bench micro", "x86_64")


def pairs(variant: str, phase: int) -> Boot:
    """The boot that exchanges requests and responses."""
    return Boot(variant, "max", PAIRS.format(loops=PAIRS_LOOPS, phase=phase), "x86_64")


def storm(variant: str, cpus: int, phase: int) -> Boot:
    """The boot in which a thread on each CPU writes, gives back and reads a page."""
    words = STORM.format(loops=STORM_LOOPS, phase=phase)
    return Boot(variant, "max", words, "x86_64", cpus, by_library=True)


def timed_variants(origins: set[str]) -> list[str]:
    """The x86-64 builds to time under KVM."""
    wanted = [*O3_ARMS.values()] if "O3" in origins else []
    wanted += [*O4_ARMS.values()] if "O4" in origins else []
    return list(dict.fromkeys(wanted))


def message_case(phase: int) -> str:
    """The name of one run of the message benchmark in the results."""
    return f"messages groups=1 loops={LOOPS} phase={phase}"


MESSAGE_MEDIAN = f"messages groups=1 loops={LOOPS} median of {len(PHASES)} phases"
MESSAGE_SPREAD = f"messages groups=1 loops={LOOPS} largest less smallest of {len(PHASES)} phases"


def message_results(counts: Counts, origins: Origins) -> list[Result]:
    """O1 end to end: each timer phase, then median and spread of them."""
    results = []
    for counter, metric in MESSAGE_METRICS:
        unit = "accesses" if metric == "memory accesses" else metric
        runs = {
            arm: [counts[messages(v, phase)]["messages"][counter] for phase in PHASES]
            for arm, v in O1_ARMS.items()
        }
        for index, phase in enumerate(PHASES):
            arms = {arm: values[index] for arm, values in runs.items()}
            results.append(Result("O1", message_case(phase), metric, unit, arms))
        middle = {arm: median(values) for arm, values in runs.items()}
        theirs = origins.arms("O1", "messages") if counter == "instructions" else {}
        their_unit = origins.table("O1", "messages")["unit"] if theirs else None
        results.append(Result("O1", MESSAGE_MEDIAN, metric, unit, middle, theirs, their_unit))
        spread = {arm: max(values) - min(values) for arm, values in runs.items()}
        results.append(Result("O1", MESSAGE_SPREAD, metric, unit, spread))
    return results


def o1(counts: Counts, origins: Origins) -> list[Result]:
    """The switch, alone and in the message benchmark."""
    results = []
    for case in SWITCH_CASES:
        for counter, metric in SWITCH_METRICS:
            arms = {arm: counts[micro(v)][case][counter] for arm, v in O1_ARMS.items()}
            unit = "instructions" if counter == "instructions" else "accesses"
            results.append(Result("O1", case, metric, unit, arms))
    return results + message_results(counts, origins)


def o2(counts: Counts, origins: Origins) -> list[Result]:
    """Flushes of so many pages, with range instructions and without."""
    results = []
    series = [(RANGES, stride, "", O2_ARMS) for stride in STRIDES]
    series.append((NO_RANGES, STRIDES[0], f" cpu={NO_RANGES}", O2_ARMS_NO_RANGES))
    for cpu, stride, suffix, variants in series:
        published = f"pages=* stride={stride}{suffix}"
        unit = origins.table("O2", published)["unit"]
        for pages in PAGES:
            case = f"pages={pages} stride={stride}"
            for metric in ("tlbi", "instructions"):
                arms = {a: counts[micro(v, cpu)][case][metric] for a, v in variants.items()}
                theirs = origins.arms("O2", published, pages)
                results.append(
                    Result("O2", case + suffix, metric, "instructions", arms, theirs, unit)
                )
    return results


def _call_and_inlined(of: Mapping[str, Mapping[str, Counter[str]]], counter: str) -> tuple:
    """The counts of the call, and of what remains of it where it is inlined; by arm."""
    call = {arm: c["cpu id call"][counter] for arm, c in of.items()}
    inline = {
        arm: c["cpu id inlined"][counter] - c["no cpu id"][counter] for arm, c in of.items()
    }
    return call, inline


def o3(counts: Counts, origins: Origins) -> list[Result]:
    """Who am I, as a call and inlined."""
    results = []
    of = {arm: counts[micro(variant)] for arm, variant in O3_ARMS.items()}
    for counter, metric in (INSTRUCTIONS, ACCESSES):
        call, inline = _call_and_inlined(of, counter)
        theirs = origins.arms("O3", "call") if counter == "instructions" else {}
        their_unit = origins.table("O3", "call")["unit"] if theirs else None
        unit = "instructions" if counter == "instructions" else "accesses"
        results.append(Result("O3", "call, not inlined", metric, unit, call, theirs, their_unit))
        results.append(Result("O3", "inlined", metric, unit, inline))
    return results


# ---- x86-64 -----------------------------------------------------------------------------------

O3_CALL = "call, not inlined (x86-64)"
O3_INLINED = "inlined (x86-64)"
TRIP = "idle, task, idle"
PAIRS_PHASE = f"pairs loops={PAIRS_LOOPS} phase={{}}"
PAIRS_MEDIAN = f"pairs loops={PAIRS_LOOPS} median of {len(PHASES)} phases"
PAIRS_SPREAD = f"pairs loops={PAIRS_LOOPS} largest less smallest of {len(PHASES)} phases"

Times = Mapping[str, kvm.Times]


def _x86_64(
    origin: str,
    case: str,
    metric: str,
    unit: str,
    arms: dict[str, Number],
    theirs: tuple[dict[str, Number], str | None] = ({}, None),
) -> Result:
    return Result(origin, case, metric, unit, arms, *theirs, arch="x86_64")


def _timed(
    origin: str, case: str, name: str, arms: Mapping[str, str], times: Times
) -> list[Result]:
    """One result, or none where there is no KVM."""
    if not times:
        return []
    values = {arm: times[variant][name] / 1000 for arm, variant in arms.items()}
    return [_x86_64(origin, case, NANOSECONDS, "ns", values)]


def o3_x86_64(counts: Counts, origins: Origins, times: Times) -> list[Result]:
    """Who am I, where the per-CPU base register is part of an address."""
    of = {arm: counts[micro_x86_64(variant)] for arm, variant in O3_ARMS.items()}
    call, inline = _call_and_inlined(of, "instructions")
    theirs = origins.arms("O3", "call"), origins.table("O3", "call")["unit"]
    return [
        _x86_64("O3", O3_CALL, "instructions", "instructions", call, theirs),
        _x86_64("O3", O3_INLINED, "instructions", "instructions", inline),
        *_timed("O3", O3_CALL, "cpu id call", O3_ARMS, times),
    ]


def _with_unit(origins: Origins, origin: str, case: str) -> tuple[dict[str, Number], str]:
    return origins.arms(origin, case), origins.table(origin, case)["unit"]


def _pairs(counts: Counts, origins: Origins) -> list[Result]:
    """O4 end to end: each timer phase, then median and spread of them."""
    results = []
    for counter, metric in PAIRS_METRICS:
        runs = {
            arm: [counts[pairs(v, phase)]["pairs"][counter] for phase in PHASES]
            for arm, v in O4_ARMS.items()
        }
        for index, phase in enumerate(PHASES):
            arms = {arm: values[index] for arm, values in runs.items()}
            results.append(_x86_64("O4", PAIRS_PHASE.format(phase), metric, metric, arms))
        middle = {arm: median(values) for arm, values in runs.items()}
        theirs = _with_unit(origins, "O4", "pairs") if counter == "instructions" else ({}, None)
        results.append(_x86_64("O4", PAIRS_MEDIAN, metric, metric, middle, theirs))
        spread = {arm: max(values) - min(values) for arm, values in runs.items()}
        results.append(_x86_64("O4", PAIRS_SPREAD, metric, metric, spread))
    return results


def o4(counts: Counts, origins: Origins, times: Times) -> list[Result]:
    """To a task and back to idle, alone and in an exchange of messages."""
    results = []
    for counter, metric in TRIP_METRICS:
        of = {arm: counts[micro_x86_64(variant)] for arm, variant in O4_ARMS.items()}
        arms = {
            arm: c["switch from lazy"][counter] + c["enter lazy"][counter] for arm, c in of.items()
        }
        theirs = _with_unit(origins, "O4", "switch") if counter == "atomic" else ({}, None)
        results.append(_x86_64("O4", TRIP, metric, metric, arms, theirs))
    results += _timed("O4", TRIP, "idle round trip", O4_ARMS, times)
    return results + _pairs(counts, origins)


def storm_case(cpus: int, phase: int) -> str:
    """The name of one run of the storm in the results."""
    return f"cpus={cpus} phase={phase}"


def storm_median(cpus: int) -> str:
    """The name of what all phases together say."""
    return f"cpus={cpus} median of {len(PHASES)} phases"


def storm_spread(cpus: int) -> str:
    """And of how much they differ."""
    return f"cpus={cpus} largest less smallest of {len(PHASES)} phases"


def _rates(count: Counter[str]) -> dict[str, float]:
    """What became of a request, on average, and what an iteration takes."""
    rates = {metric: count[name] / count["handled"] for name, metric in STORM_METRICS}
    rates[PER_INTERRUPT] = count["request"] / count["interrupt"]
    flushes = sum(count[f"flush_{what}"] for what in ("page", "range", "space", "gather"))
    rates[SHOOTDOWNS] = flushes / count["iterations"]
    return {metric: round(rate, 4) for metric, rate in rates.items()}


def _storm(counts: Counts, cpus: int) -> list[Result]:
    runs = {
        arm: [_rates(counts[storm(v, cpus, phase)][LIBRARY]) for phase in PHASES]
        for arm, v in O5_ARMS.items()
    }
    results = []
    for metric in [metric for _, metric in STORM_METRICS] + list(STORM_UNITS):
        values = {arm: [run[metric] for run in of_arm] for arm, of_arm in runs.items()}
        unit = STORM_UNITS.get(metric, "per request")
        for index, phase in enumerate(PHASES):
            arms = {arm: of_arm[index] for arm, of_arm in values.items()}
            results.append(_x86_64("O5", storm_case(cpus, phase), metric, unit, arms))
        middle = {arm: median(of_arm) for arm, of_arm in values.items()}
        results.append(_x86_64("O5", storm_median(cpus), metric, unit, middle))
        spread = {arm: round(max(v) - min(v), 4) for arm, v in values.items()}
        results.append(_x86_64("O5", storm_spread(cpus), metric, unit, spread))
    return results


def o5(counts: Counts, origins: Origins, times: Times) -> list[Result]:
    """All threads give back; then what the origin measured, with other numbers of threads."""
    del times
    results = [result for cpus in STORM_CPUS for result in _storm(counts, cpus)]
    table = origins.table("O5", "threads=*")
    for threads in table["rows"]:
        theirs = origins.arms("O5", "threads=*", threads), table["unit"]
        case = f"threads={threads}"
        results.append(_x86_64("O5", case, table["unit"], table["unit"], {}, theirs))
    return results


def run(
    arch: str, origin: str, counts: Counts, origins: Origins, times: Times
) -> list[Result] | None:
    """The results of an origin on an architecture; None where it has nothing to measure."""
    if arch == "arm64":
        return RUN[origin](counts, origins) if origin in RUN else None
    return RUN_X86_64[origin](counts, origins, times) if origin in RUN_X86_64 else None


RUN = {"O1": o1, "O2": o2, "O3": o3}
RUN_X86_64 = {"O3": o3_x86_64, "O4": o4, "O5": o5}
