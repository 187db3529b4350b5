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

from boot import Boot

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

    def as_json(self) -> dict[str, object]:
        """The form of out/demo.json."""
        return {
            "origin": self.origin,
            "arch": "arm64",
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


def boots(origins: set[str]) -> list[Boot]:
    """All boots that these origins need, each once, the longest first."""
    wanted: list[Boot] = []
    if "O1" in origins:
        wanted += [messages(v, phase) for phase in PHASES for v in O1_ARMS.values()]
        wanted += [micro(v) for v in O1_ARMS.values()]
    if "O2" in origins:
        wanted += [micro(v) for v in O2_ARMS.values()]
        wanted += [micro(v, NO_RANGES) for v in O2_ARMS_NO_RANGES.values()]
    if "O3" in origins:
        wanted += [micro(v) for v in O3_ARMS.values()]
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


def o3(counts: Counts, origins: Origins) -> list[Result]:
    """Who am I, as a call and inlined."""

    results = []
    for counter, metric in (INSTRUCTIONS, ACCESSES):
        of = {arm: counts[micro(variant)] for arm, variant in O3_ARMS.items()}
        call = {arm: c["cpu id call"][counter] for arm, c in of.items()}
        inline = {
            arm: c["cpu id inlined"][counter] - c["no cpu id"][counter] for arm, c in of.items()
        }
        theirs = origins.arms("O3", "call") if counter == "instructions" else {}
        their_unit = origins.table("O3", "call")["unit"] if theirs else None
        unit = "instructions" if counter == "instructions" else "accesses"
        results.append(Result("O3", "call, not inlined", metric, unit, call, theirs, their_unit))
        results.append(Result("O3", "inlined", metric, unit, inline))
    return results


RUN = {"O1": o1, "O2": o2, "O3": o3}
