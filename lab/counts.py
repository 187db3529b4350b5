# SPDX-License-Identifier: MIT
"""Reads what the counting plugin (tools/count/count.c) wrote, and ties it to the names of cases.

The guest says on its console which case each tag stands for; the plugin says what was executed
under each tag. Two cases are measurements of nothing at all, one on a CPU and one of the whole
machine: their counts are those of the marks themselves, and are subtracted from every other case.

Also reads what the guest says on its console of the library's own counters, and of time.
"""

from __future__ import annotations

import re
from collections import Counter

NOTHING = "nothing"
NOTHING_ON_ALL = "nothing on all CPUs"
LIBRARY = "the library's own counters"
MACHINE_TAGS = 512  # from this tag up a measurement is of the whole machine

_CASE = re.compile(r"^bench: tag (\d+) is (.+?)\s*$", re.MULTILINE)
_COUNTER = re.compile(r"^bench: counter (\w+) is (\d+)\s*$", re.MULTILINE)
_TIME = re.compile(r"^bench: (\d+) ps is (.+?)\s*$", re.MULTILINE)


class CountError(Exception):
    """The measurements are not what they should be."""


def parse_plugin(text: str) -> dict[int, list[Counter[str]]]:
    """The counts of every measurement, by tag, in the order in which they ended."""
    found: dict[int, list[Counter[str]]] = {}
    for line in text.splitlines():
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if not line.startswith("tag="):
            raise CountError(f"the plugin says: {line}")
        tag = int(fields.pop("tag"))
        fields.pop("cpu")
        found.setdefault(tag, []).append(Counter({k: int(v) for k, v in fields.items()}))
    return found


def parse_cases(console: str) -> dict[int, str]:
    """What each tag stands for, as the guest says it."""
    cases: dict[int, str] = {}
    for number, name in _CASE.findall(console):
        if cases.setdefault(int(number), name) != name:
            raise CountError(f"tag {number} stands for two cases: {cases[int(number)]}, {name}")
    return cases


def parse_library(console: str) -> Counter[str]:
    """The library's own counters, by name."""
    found = Counter({name: int(value) for name, value in _COUNTER.findall(console)})
    if not found:
        raise CountError("the kernel says nothing of the library's counters")
    return found


def parse_times(console: str) -> dict[str, int]:
    """How long each case takes, in picoseconds."""
    return {name: int(value) for value, name in _TIME.findall(console)}


def _the_one(name: str, repeats: list[Counter[str]]) -> Counter[str]:
    """The counts that all repeats of a case agree on."""
    for other in repeats[1:]:
        if other != repeats[0]:
            differs = sorted(k for k in other if other[k] != repeats[0][k])
            raise CountError(
                f"{name}: {len(repeats)} repeats are not identical: "
                + ", ".join(f"{k} {repeats[0][k]} and {other[k]}" for k in differs)
            )
    return repeats[0]


def per_case(console: str, plugin: str) -> dict[str, Counter[str]]:
    """The counts of each case, without those of the marks.

    Repeats of a case on one CPU must be identical. Fails if a case was announced and not
    measured, or measured and not announced.
    """
    cases = parse_cases(console)
    measured = parse_plugin(plugin)
    if set(cases) != set(measured):
        odd = sorted(set(cases) ^ set(measured))
        raise CountError(f"tags that were only announced, or only measured: {odd}")
    raw = {tag: _the_one(cases[tag], repeats) for tag, repeats in measured.items()}
    marks = {cases[tag]: raw[tag] for tag in raw if cases[tag] in (NOTHING, NOTHING_ON_ALL)}
    result = {}
    for tag, of_tag in raw.items():
        if cases[tag] not in marks:
            nothing = NOTHING_ON_ALL if tag >= MACHINE_TAGS else NOTHING
            if nothing not in marks:
                raise CountError(f'"{nothing}" was not measured')
            result[cases[tag]] = _without(cases[tag], of_tag, marks[nothing])
    return result


def _without(name: str, counts: Counter[str], marks: Counter[str]) -> Counter[str]:
    """Counts less those of the marks, and the sums that tables show."""
    own = Counter(counts)
    own.subtract(marks)
    negative = [k for k, n in own.items() if n < 0]
    if negative:
        raise CountError(f"{name}: fewer {negative[0]} than in a measurement of nothing")
    own["accesses"] = own["load"] + own["store"] + own["atomic"]
    own["tlbi"] = sum(n for k, n in own.items() if k.startswith("tlbi_"))
    return own
