#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The demo without an emulator: counts become results, results become tables, errors are said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
LAB = TESTS.parent / "lab"
sys.path[:0] = [str(TESTS), str(LAB)]

import boot  # noqa: E402
import counts  # noqa: E402
import demo  # noqa: E402
import experiments  # noqa: E402
import kvm  # noqa: E402
import tables  # noqa: E402
from boot import Boot, BootError, symbols  # noqa: E402
from experiments import Origins, Result  # noqa: E402
from tap import Tap  # noqa: E402

ALL = set(demo.ORIGINS)
ARCHS = tuple(boot.ARCHS)
DEVICE_OF_NOTHING = Path("/dev/null")
TIMES = {
    "default": {"cpu id call": 1500, "idle round trip": 10500},
    "o3-before": {"cpu id call": 2500},
    "o4-after": {"idle round trip": 20500},
    "o4-before": {"idle round trip": 30500},
}
CONSOLE = """starting
bench: tag 1 is nothing
bench: tag 7 is switch hit
bench: tag 514 is nothing on all CPUs
bench: tag 513 is messages
bench: done
"""
PLUGIN = """tag=1 cpu=2 instructions=5 load=0 store=1 atomic=0 tlbi_page=0 tlbi_range=0
tag=7 cpu=2 instructions=25 load=3 store=2 atomic=1 tlbi_page=4 tlbi_range=2
tag=7 cpu=2 instructions=25 load=3 store=2 atomic=1 tlbi_page=4 tlbi_range=2
tag=514 cpu=all instructions=8 load=0 store=1 atomic=0 tlbi_page=0 tlbi_range=0
tag=513 cpu=all instructions=1008 load=30 store=21 atomic=9 tlbi_page=0 tlbi_range=0
"""


def test_counts(tap: Tap) -> None:
    """Names are tied to tags, marks are subtracted, what is odd is refused."""
    found = counts.per_case(CONSOLE, PLUGIN)
    tap.check("cases without those of nothing", sorted(found), ["messages", "switch hit"])
    hit = found["switch hit"]
    tap.check("the marks of a CPU are subtracted", (hit["instructions"], hit["store"]), (20, 1))
    tap.check("accesses are loads, stores and atomics", hit["accesses"], 3 + 1 + 1)
    tap.check("all kinds of TLBI are added", hit["tlbi"], 6)
    tap.check("the marks of the machine are subtracted", found["messages"]["instructions"], 1000)

    def fails(what: str, text: str, console: str, plugin: str) -> None:
        tap.raises(what, counts.CountError, text, lambda: counts.per_case(console, plugin))

    other = PLUGIN.replace("tag=7 cpu=2 instructions=25", "tag=7 cpu=2 instructions=26", 1)
    fails("repeats that differ", "instructions 26 and 25", CONSOLE, other)
    broken = PLUGIN + "broken: measurement 9 never ended\n"
    fails("a broken measurement", "measurement 9 never ended", CONSOLE, broken)
    fails("a case that was not measured", "[9]", CONSOLE + "bench: tag 9 is x\n", PLUGIN)
    fails("a tag without a name", "[9]", CONSOLE, PLUGIN + "tag=9 cpu=0 instructions=9\n")
    fails("a tag of two names", "two cases", CONSOLE + "bench: tag 7 is x\n", PLUGIN)
    unnamed = CONSOLE.replace("tag 1 is nothing", "tag 1 is something")
    fails("marks that were not measured", '"nothing" was not measured', unnamed, PLUGIN)
    few = PLUGIN.replace("tag=1 cpu=2 instructions=5", "tag=1 cpu=2 instructions=50")
    fails("less than nothing", "fewer instructions", CONSOLE, few)


STORM = """bench: counter request is 30
bench: counter interrupt is 10
bench: counter handled is 40
bench: done
"""


def test_library(tap: Tap) -> None:
    """The library's own counters, and times."""
    found = counts.parse_library(STORM)
    tap.check("counters of the library", found, {"request": 30, "interrupt": 10, "handled": 40})
    silent = CONSOLE
    tap.raises("no counters", counts.CountError, "nothing", lambda: counts.parse_library(silent))
    times = counts.parse_times("bench: 1500 ps is seven nops\r\nbench: tag 1 is x\n")
    tap.check("times", times, {"seven nops": 1500})


def test_kvm(tap: Tap) -> None:
    """Whether KVM is there and real: a device that is none, made-up times."""

    def fails(what: str, text: str, function: object) -> None:
        tap.raises(f"KVM: {what}", kvm.NoKvm, text, function)

    with tempfile.TemporaryDirectory() as directory:
        none = Path(directory) / "kvm"
        fails("no device", "there is no", lambda: kvm.probe(none, none))
        none.mkdir()
        fails("a device that does not open", "cannot be opened", lambda: kvm.probe(none, none))
        times, said = kvm.measure(["default"], lambda _: none, none)
        tap.check("KVM: no times", times, {})
        tap.check("KVM: one line says why", ("\n" in said, "directory" in said), (False, True))
        if DEVICE_OF_NOTHING.exists():
            kernel = Path(directory) / "kernel"
            kernel.write_text("no kernel")
            begin = time.monotonic()
            fails("a kernel that is none", "", lambda: kvm.probe(kernel, DEVICE_OF_NOTHING))
            tap.check("KVM: the probe is short", time.monotonic() - begin < 8, True)
    fails("slow NOPs", "emulates instructions", lambda: kvm.judged({kvm.NOPS: 5_000_000}))
    fails("no NOPs", "did not measure", lambda: kvm.judged({}))
    fast = {kvm.NOPS: 3_000}
    tap.check("KVM: fast NOPs are a CPU's", kvm.judged(fast), fast)


def made_up_counts() -> dict[Boot, dict[str, Counter[str]]]:
    """A different figure for each boot, case and counter."""
    cases = ["cpu id call", "cpu id inlined", "no cpu id", "messages", *experiments.SWITCH_CASES]
    cases += ["pairs", "switch from lazy", counts.LIBRARY]
    cases += [f"pages={p} stride={s}" for p in experiments.PAGES for s in experiments.STRIDES]
    names = ["instructions", "load", "store", "atomic", "accesses", "tlbi", "called", "ttbr"]
    names += ["root", "interrupt", "handled", "request", *(n for n, _ in experiments.STORM_METRICS)]
    names += ["iterations", "flush_page", "flush_range", "flush_space", "flush_gather"]
    return {
        b: {
            case: Counter({n: 1000 * i + 10 * j + k for k, n in enumerate(names)})
            for j, case in enumerate(cases)
        }
        for i, b in enumerate(experiments.boots(ALL, ARCHS), 1)
    }


def test_results(tap: Tap, origins: Origins) -> list[Result]:
    """Each result is of the right boot, and stands beside the right figure."""
    boots = experiments.boots(ALL, ARCHS)
    arm64 = [b for b in boots if b.arch == "arm64"]
    tap.check("without x86-64, the boots of arm64", experiments.boots(ALL, ("arm64",)), arm64)
    o4 = experiments.boots({"O4"}, ARCHS)
    tap.check("one origin, its boots", {b.arch for b in o4}, {"x86_64"})
    tap.check("no boot twice", len(boots), len(set(boots)))
    made_up = made_up_counts()
    found = [experiments.run(a, o, made_up, origins, TIMES) for a in ARCHS for o in demo.ORIGINS]
    results = [r for some in found if some is not None for r in some]
    keys = [(r.origin, r.case, r.metric) for r in results]
    tap.check("no result twice", len(keys), len(set(keys)))
    of = {key: r for key, r in zip(keys, results, strict=True)}

    flush = of["O2", "pages=256 stride=4096", "tlbi"]
    want = {a: made_up[experiments.micro(v)]["pages=256 stride=4096"]["tlbi"]
            for a, v in experiments.O2_ARMS.items()}
    tap.check("O2: arms", flush.arms, want)
    tap.check("O2: the arms differ in these counts", len(set(want.values())), len(want))
    figures = {"before": 145514, "v3": 11223, "v4": 11089}
    tap.check("O2: figures with ranges", flush.origin_arms, figures)
    block = of["O2", "pages=8 stride=2097152", "tlbi"]
    tap.check("O2: figures of blocks", block.origin_arms["v3"], 17098)
    without = of["O2", "pages=512 stride=4096 cpu=cortex-a72", "tlbi"]
    tap.check("O2: figures without ranges", without.origin_arms, {"before": 1508, "v4": 1555})
    tap.check("O2: arms without ranges", sorted(without.arms), ["NONE", "PAGE_STRIDE"])

    call = of["O3", "call, not inlined", "instructions"].origin_arms
    tap.check("O3: figures", call, {"before": 1602888401, "after": 1206212658})
    middle = of["O1", experiments.MESSAGE_MEDIAN, "instructions"]
    tap.check("O1: figures", middle.origin_arms, {"before": 0.707, "after": 0.695})
    phases = [of["O1", experiments.message_case(p), "instructions"].arms["after"]
              for p in experiments.PHASES]
    tap.check("O1: the median is one of three", middle.arms["after"], sorted(phases)[1])
    spread = of["O1", experiments.MESSAGE_SPREAD, "instructions"].arms["after"]
    tap.check("O1: spread", spread, max(phases) - min(phases))
    test_results_x86_64(tap, of, made_up)
    return results


def test_results_x86_64(
    tap: Tap,
    of: dict[tuple[str, str, str], Result],
    made_up: dict[Boot, dict[str, Counter[str]]],
) -> None:
    """The same for x86-64."""
    call = of["O3", experiments.O3_CALL, "instructions"]
    tap.check("O3, x86-64: figures", call.origin_arms["after"], 1206212658)
    trip = of["O4", experiments.TRIP, "atomics"]
    want = {}
    for arm, variant in experiments.O4_ARMS.items():
        cases = made_up[experiments.micro_x86_64(variant)]
        want[arm] = cases["switch from lazy"]["atomic"] + cases["enter lazy"]["atomic"]
    tap.check("O4: a trip is there and back", trip.arms, want)
    tap.check("O4: figures", trip.origin_arms, {"before": 1.8, "after": 0.9})
    pairs = of["O4", experiments.PAIRS_MEDIAN, "instructions"]
    tap.check("O4: throughput", pairs.origin_arms, {"before": 1712640, "after": 1740750})
    timed = of["O4", experiments.TRIP, experiments.NANOSECONDS]
    tap.check("O4: times", timed.arms, {"before": 30.5, "after": 20.5, "defaults": 10.5})

    metric = "generation reads"
    storm = of["O5", experiments.storm_median(4), metric].arms["before"]
    rates = []
    for phase in experiments.PHASES:
        count = made_up[experiments.storm("storm-before", 4, phase)][counts.LIBRARY]
        rates.append(round(count["generation_read"] / count["handled"], 4))
    tap.check("O5: the median is one of three", storm, sorted(rates)[1])
    spread = of["O5", experiments.storm_spread(4), metric].arms["before"]
    tap.check("O5: spread", spread, round(max(rates) - min(rates), 4))
    last = of["O5", "threads=55", "iterations"].origin_arms
    tap.check("O5: figures", last, {"before": 614363, "after": 778913})
    archs = {(r.origin, r.arch) for r in of.values()}
    want_archs = {("O1", "arm64"), ("O2", "arm64"), ("O3", "arm64")}
    want_archs |= {("O3", "x86_64"), ("O4", "x86_64"), ("O5", "x86_64")}
    tap.check("each origin is where it belongs", archs, want_archs)


class Page(HTMLParser):
    """Whether every element that is opened is closed, and what a page refers to."""

    void = {"meta", "br", "!doctype"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.refers: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.void:
            self.open.append(tag)
        self.rows += tag == "tr"
        self.refers += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_tables(tap: Tap, results: list[Result], origins: Origins) -> None:
    """Text of a readable width, a page that is complete in itself, JSON as promised."""
    keys = list(dict.fromkeys((r.arch, r.origin) for r in results))
    made = [
        tables.table(a, o, [r for r in results if (r.arch, r.origin) == (a, o)], origins)
        for a, o in keys
    ]
    text = "\n".join(tables.as_text(t) for t in made)
    tap.check("no line is too wide", [x for x in text.splitlines() if len(x) > tables.WIDTH], [])
    for figure in ("145514", "17106", "1602888401", "0.707", "1508", "1740750", "778913", "20.5"):
        tap.check(f"the origin's {figure} is shown", figure in text, True)
    each = [tables.DIFFERENT_THINGS in " ".join(t.notes) for t in made]
    tap.check("under each table: counts are not times", each, [True] * len(made))

    for arch, origin in keys:
        title = f"{origin} on {boot.ARCHS[arch].title}: "
        tap.check(f"a title: {title}", any(x.startswith(title) for x in text.splitlines()), True)

    page = Page()
    page.feed(tables.as_page(made, "0 <&>"))
    tap.check("the page's elements nest", (page.open, page.wrong), ([], []))
    tap.check("the page refers to nothing outside", page.refers, [])
    rows = sum(len(s.rows) + 1 for t in made for s in t.sections) + 2 * len(made)
    tap.check("the page has every row", page.rows, rows)

    data = json.loads(demo.as_json(results, "1.2.3", "c"))
    tap.check("JSON: outside", sorted(data), ["commit", "experiments", "ktlb"])
    line = next(e for e in data["experiments"] if e["case"] == "pages=256 stride=4096")
    want = ["arch", "arms", "case", "metric", "origin", "origin_arms", "origin_unit", "unit"]
    tap.check("JSON: fields", sorted(line), want)
    said = (line["origin"], line["arch"], line["unit"], line["origin_unit"])
    tap.check("JSON: values", said, ("O2", "arm64", "instructions", "ns"))
    tap.check("JSON: all results", len(data["experiments"]), len(results))


def run_demo(*arguments: str) -> tuple[int, int, str]:
    """Exit status, lines on stderr, and their text."""
    command = [sys.executable, "-B", str(LAB / "demo.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, len(done.stderr.splitlines()), done.stderr + done.stdout


def test_errors(tap: Tap) -> None:
    """Bad arguments, and kernels that are none."""
    both = ("--kernels", "/nowhere/{}", "--plugin", "/nowhere/p")
    for what, arguments, text in (
        ("no arguments", (), "--kernels"),
        ("an unknown option", (*both, "--what"), "--what"),
        ("an unknown origin", (*both, "O9"), "O9"),
        ("no jobs", (*both, "--jobs", "0"), "--jobs"),
        ("jobs that are no number", (*both, "--jobs", "x"), "--jobs"),
        ("a pattern without a place", ("--kernels", "k", "--plugin", "p"), "{}"),
    ):
        status, lines, said = run_demo(*arguments)
        tap.check(f"{what}: status, one line", (status, lines, text in said), (2, 1, True))
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        status, _, said = run_demo(*both, "--out", str(out))
        tap.check("no kernels: status, and which", (status, "/nowhere/" in said), (1, True))
        tap.check("no kernels: no files", out.exists(), False)
        text_file = Path(directory) / "text"
        text_file.write_text("no kernel")
        tap.raises("a kernel that is none", BootError, "not a kernel", lambda: symbols(text_file))

        target = Path(directory) / "file"
        demo.write_atomically(target, "one")
        demo.write_atomically(target, "two")
        tap.check("a file is replaced", target.read_text(), "two")
        left = sorted(os.listdir(directory))
        tap.check("no temporary file is left", left, ["file", "text"])


def main() -> int:
    """Returns 0 if all passed."""
    tap = Tap("lab")
    origins = Origins(LAB / "origins.json")
    test_counts(tap)
    test_library(tap)
    test_kvm(tap)
    results = test_results(tap, origins)
    test_tables(tap, results, origins)
    test_errors(tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
