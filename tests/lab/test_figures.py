#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What must hold of the demo's figures, whatever the compiler.

test_figures.py demo.json tables.txt ARCH...
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "lab")]

import experiments  # noqa: E402
from tap import Tap  # noqa: E402

Arms = dict[str, float]

# The instructions of a range never need more than one for each of four scales, and one for an odd
# page.
RANGE_MOST = 5

ORIGINS = {"arm64": ["O1", "O2", "O3"], "x86_64": ["O3", "O4", "O5"]}


class Figures:
    """The arms of each result."""

    def __init__(self, data: dict) -> None:
        self.of = {(e["origin"], e["case"], e["metric"]): e["arms"] for e in data["experiments"]}

    def arms(self, origin: str, case: str, metric: str) -> Arms:
        """One of them."""
        return self.of[origin, case, metric]


def test_form(tap: Tap, data: dict, archs: list[str]) -> None:
    """The file is as the issue shows it."""
    tap.check("outside", sorted(data), ["commit", "experiments", "ktlb"])
    fields = {tuple(sorted(e)) for e in data["experiments"]}
    want = ("arch", "arms", "case", "metric", "origin", "origin_arms", "origin_unit", "unit")
    tap.check("fields of an experiment", fields, {want})
    origins = sorted({(e["arch"], e["origin"]) for e in data["experiments"]})
    want_origins = [(a, o) for a in sorted(archs) for o in ORIGINS[a]]
    tap.check("origins", origins, want_origins)
    exact = [e for e in data["experiments"] if e["origin"] != "O5" and e["unit"] != "ns"]
    numbers = [v for e in exact for v in e["arms"].values()]
    tap.check("counts are whole numbers", [v for v in numbers if v != int(v) or v < 0], [])


def test_o1(tap: Tap, figures: Figures) -> None:
    """A switch is shorter afterwards, and loads less; the message benchmark has switched."""
    hit = {m: figures.arms("O1", "switch hit", m) for _, m in experiments.SWITCH_METRICS}
    tap.check("switch hit: one atomic", hit["atomics"], {"before": 1, "after": 1})
    for metric in ("instructions", "loads"):
        fewer = hit[metric]["after"] < hit[metric]["before"]
        tap.check(f"switch hit: fewer {metric} afterwards", fewer, True)
    same = figures.arms("O1", "switch to the space that is loaded", "atomics")
    tap.check("switch to what is loaded: no atomic", same, {"before": 0, "after": 0})
    switches = [
        figures.arms("O1", experiments.message_case(phase), "switches")[arm]
        for phase in experiments.PHASES
        for arm in experiments.O1_ARMS
    ]
    # 20 senders and 20 receivers all have to run.
    tap.check("messages: enough switches", [n for n in switches if n < 40], [])


def test_o2(tap: Tap, figures: Figures) -> None:
    """How many TLBI instructions each arm needs."""
    small = experiments.STRIDES[0]
    for pages in experiments.PAGES:
        for stride in experiments.STRIDES:
            case = f"pages={pages} stride={stride}"
            tlbi = figures.arms("O2", case, "tlbi")
            tap.check(f"{case}: NONE, one a page", tlbi["NONE"], pages)
            tap.check(f"{case}: ALWAYS, a handful", 1 <= tlbi["ALWAYS"] <= RANGE_MOST, True)
            tap.check(f"{case}: PLANNER, no more than any", tlbi["PLANNER"], min(tlbi.values()))
            other = tlbi["ALWAYS"] if stride == small else pages
            tap.check(f"{case}: PAGE_STRIDE", tlbi["PAGE_STRIDE"], other)
            total = figures.arms("O2", case, "instructions")
            less = [arm for arm in tlbi if total[arm] <= tlbi[arm]]
            tap.check(f"{case}: all instructions are more than TLBI", less, [])
        case = f"pages={pages} stride={small} cpu={experiments.NO_RANGES}"
        want = 1 if pages == 512 else pages
        tlbi = figures.arms("O2", case, "tlbi")
        tap.check(f"{case}", tlbi, {"NONE": want, "PAGE_STRIDE": want})


def test_o3(tap: Tap, figures: Figures) -> None:
    """Two instructions and a return afterwards, more before."""
    call = figures.arms("O3", "call, not inlined", "instructions")
    inline = figures.arms("O3", "inlined", "instructions")
    tap.check("afterwards", (call["after"], inline["after"]), (3, 2))
    tap.check("more before", call["before"] > call["after"], True)
    tap.check("a call is a return longer", call["before"] - inline["before"], 1)


def test_o3_x86_64(tap: Tap, figures: Figures) -> None:
    """One instruction either way, and a return."""
    call = figures.arms("O3", experiments.O3_CALL, "instructions")
    inline = figures.arms("O3", experiments.O3_INLINED, "instructions")
    tap.check("O3, x86-64: a call", call, {"before": 2, "after": 2})
    tap.check("O3, x86-64: inlined", inline, {"before": 1, "after": 1})


def test_o4(tap: Tap, figures: Figures) -> None:
    """4, 2 and 0 read-modify-writes a round trip, and as many fewer in an exchange of messages."""
    trip = figures.arms("O4", experiments.TRIP, "atomics")
    tap.check("O4: atomics of a round trip", trip, {"before": 4, "after": 2, "defaults": 0})
    roots = figures.arms("O4", experiments.TRIP, "root writes")
    tap.check("O4: root writes of one", roots, {"before": 2, "after": 2, "defaults": 0})
    total = figures.arms("O4", experiments.TRIP, "instructions")
    order = total["before"] > total["after"] > total["defaults"] > 0
    tap.check("O4: fewer instructions from arm to arm", order, True)

    trips = 2 * 2 * experiments.PAIRS_LOOPS  # two pairs, and both halves wait for each message
    for metric in ("switches", "interrupts"):
        pairs = figures.arms("O4", experiments.PAIRS_MEDIAN, metric)
        far = {arm: n for arm, n in pairs.items() if not 0.9 * trips < n < 1.3 * trips}
        tap.check(f"O4: the pairs have about {trips} {metric}", far, {})
    atomics = figures.arms("O4", experiments.PAIRS_MEDIAN, "atomics")
    saved = {
        "O4": (atomics["before"] - atomics["after"]) / trips,
        "the rest": (atomics["after"] - atomics["defaults"]) / trips,
    }
    far = {what: n for what, n in saved.items() if not 1.5 < n < 2.5}
    tap.check("O4: in the pairs, too, about two atomics fewer a trip", far, {})
    roots = figures.arms("O4", experiments.PAIRS_MEDIAN, "root writes")
    tap.check("O4: a lazy CPU keeps its root", roots["defaults"] < 0.05 * roots["after"], True)


def test_o5(tap: Tap, figures: Figures) -> None:
    """Before, a read for every request; after, none for those that are satisfied."""
    for cpus in experiments.STORM_CPUS:
        for phase in experiments.PHASES:
            case = experiments.storm_case(cpus, phase)
            of = {
                metric: figures.arms("O5", case, metric) for _, metric in experiments.STORM_METRICS
            }
            reads = of.pop("generation reads")
            tap.check(f"O5, {case}: before, always a read", reads["before"], 1)
            satisfied = of["skipped: satisfied"]
            tap.check(f"O5, {case}: before, none is satisfied", satisfied["before"], 0)
            early = satisfied["after"] + sum(
                of[metric]["after"] for metric in ("skipped: another space", "skipped: lazy")
            )
            near = abs(reads["after"] + early - 1) < 0.001
            tap.check(f"O5, {case}: after, a read or an early answer", near, True)
            for arm in experiments.O5_ARMS:
                every = sum(arms[arm] for arms in of.values())
                tap.check(f"O5, {case}: {arm}, all are something", abs(every - 1) < 0.001, True)
    most = {
        cpus: figures.arms("O5", experiments.storm_median(cpus), "generation reads")["after"]
        for cpus in experiments.STORM_CPUS
    }
    fewer = most[8] < most[4] < 0.75
    tap.check("O5: many reads are gone at 4 CPUs, more at 8", fewer, True)
    for cpus in experiments.STORM_CPUS:
        per = figures.arms("O5", experiments.storm_median(cpus), experiments.SHOOTDOWNS)
        tap.check(f"O5: {cpus} CPUs, one shootdown an iteration", per, {"before": 1, "after": 1})
    for cpus in (4, 8):
        per = figures.arms("O5", experiments.storm_median(cpus), experiments.PER_INTERRUPT)
        tap.check(f"O5: {cpus} CPUs share interrupts", min(per.values()) > 1.5, True)


def test_tables(tap: Tap, data: dict, text: str) -> None:
    """What the tables show is what the file holds."""
    rows = [line.replace("|", " ").split() for line in text.splitlines()]
    for e in data["experiments"]:
        if e["case"] == "pages=256 stride=4096":
            ours = [str(v) for v in e["arms"].values()]
            theirs = [str(v) for v in e["origin_arms"].values()]
            shown = any(
                row[:1] == ["256"] and row[-3:] == theirs and ours in (row[1:5], row[5:9])
                for row in rows
            )
            tap.check(f"the row of 256 pages shows {e['metric']}", shown, True)


def main() -> int:
    """Returns 0 if all passed."""
    tap = Tap("figures")
    archs = sys.argv[3:]
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    figures = Figures(data)
    test_form(tap, data, archs)
    test_o1(tap, figures)
    test_o2(tap, figures)
    test_o3(tap, figures)
    if "x86_64" in archs:
        test_o3_x86_64(tap, figures)
        test_o4(tap, figures)
        test_o5(tap, figures)
    test_tables(tap, data, Path(sys.argv[2]).read_text(encoding="utf-8"))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
