# SPDX-License-Identifier: MIT
"""The tables of the demo: one an origin and architecture, ours beside theirs; text and page."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

import boot
import experiments
from experiments import Number, Origins, Result

DIFFERENT_THINGS = (
    "Ours are counts of what was executed; the origin's are times on its own machine. Counts and "
    "nanoseconds are different things: compare how each changes from arm to arm, not their values."
)
BUILDS = (
    "Built as shipped (KTLB_CFG_CHECK=1), with the library's own counters off (KTLB_CFG_COUNT=0); "
    "an arm differs from the default build in its one option."
)
ONE_CALL = (
    "How: a plugin of the emulator (tools/count) counts what the CPU executes between two marks "
    "around one call, its return included, the call itself not; interrupts are off; a measurement "
    "of nothing is subtracted; every repeat was identical."
)
WIDTH = 100


@dataclass(frozen=True)
class Section:
    """Rows under one caption."""

    caption: str
    rows: list[list[str]]


@dataclass(frozen=True)
class Table:
    """One origin: columns come in groups, the first of which names the row."""

    origin: str
    arch: str
    title: str
    groups: list[tuple[str, list[str]]]
    sections: list[Section]
    notes: list[str]


def number(value: Number | None) -> str:
    """A figure as it is printed."""
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() else str(value)


def _cells(values: dict[str, Number], names: Iterable[str]) -> list[str]:
    return [number(values.get(name)) for name in names]


def _heading(origins: Origins, origin: str) -> str:
    data = origins.data[origin]
    return f"{data['title']} ({data['published']})"


def _before_after(name: str, r: Result) -> list[str]:
    """A row of an origin with two arms."""
    change = number(round(r.arms["after"] - r.arms["before"], 3))
    row = [name, *_cells(r.arms, ("before", "after")), change]
    return row + _cells(r.origin_arms, ("before", "after"))


def _by_metric(results: list[Result], case: str, caption: str) -> Section:
    """All metrics of one case."""
    return Section(caption, [_before_after(r.metric, r) for r in results if r.case == case])


def _messages(results: list[Result]) -> Section:
    """The message benchmark: every run of the first metric; middle and spread of the others."""
    names = {experiments.message_case(p): f"timer phase {p}" for p in experiments.PHASES}
    names[experiments.MESSAGE_MEDIAN] = "median"
    names[experiments.MESSAGE_SPREAD] = "largest less smallest"
    shown_once = {experiments.message_case(p) for p in experiments.PHASES}
    rows = []
    for r in results:
        if r.case in names and (r.metric == "instructions" or r.case not in shown_once):
            rows.append(_before_after(f"{r.metric}, {names[r.case]}", r))
    return Section("Message benchmark: 20 senders, 20 receivers; the whole machine", rows)


def _against_spread(results: list[Result]) -> str:
    """Whether the change of all instructions can be told from that between timer phases."""
    of = {r.case: r.arms for r in results if r.metric == "instructions"}
    middle = of[experiments.MESSAGE_MEDIAN]
    change = abs(middle["after"] - middle["before"])
    spread = max(of[experiments.MESSAGE_SPREAD].values())
    where = "inside" if change <= spread else "outside"
    return (
        f"The median of all instructions changes by {change / middle['before']:.3%}, {where} the "
        f"spread of the phases ({spread / middle['before']:.3%})."
    )


def _o1(results: list[Result], origins: Origins) -> Table:
    build = origins.table("O1", "kernel build")
    theirs = origins.table("O1", "messages")
    seconds = build["rows"]["all"]
    return Table(
        "O1",
        "arm64",
        _heading(origins, "O1"),
        [
            ("", ["metric"]),
            ("ktlb, counts", ["before", "after", "change"]),
            ("origin, s", ["before", "after"]),
        ],
        [
            _by_metric(results, "switch hit", "One switch to another space that has an id"),
            _by_metric(
                results, "switch to the space that is loaded", "One switch to the space loaded"
            ),
            _by_metric(results, "enter lazy", "One entry into lazy mode"),
            _messages(results),
        ],
        [
            ONE_CALL,
            "The message benchmark: all CPUs together, from its start to its end, for three phases "
            f"of the timer; {experiments.LOOPS} messages from every sender to every receiver. The "
            f"interleaving of CPUs is the emulator's. {_against_spread(results)} All three phases "
            "of every metric are in demo.json.",
            "An exclusive pair (LDXR, STXR) is one atomic; a pair load or store is one access; "
            "memory accesses are loads, stores and atomics together; switches are calls of "
            "ktlb_switch, root writes are writes of TTBR0_EL1 or TTBR1_EL1.",
            BUILDS,
            f"The origin: {theirs['machine']}; messaging benchmark, {theirs['note']}. It also "
            f"timed a kernel build: {seconds[0]} s before, {seconds[1]} s after ({build['note']}).",
            DIFFERENT_THINGS,
        ],
    )


def _o2_section(
    results: list[Result], origins: Origins, suffix: str, stride: int, caption: str
) -> Section:
    machine = origins.table("O2", f"pages=* stride={stride}{suffix}")["machine"]
    rows = []
    for pages in experiments.PAGES:
        case = f"pages={pages} stride={stride}{suffix}"
        by_metric = {r.metric: r for r in results if r.case == case}
        row = [str(pages)]
        for metric in ("tlbi", "instructions"):
            row += _cells(by_metric[metric].arms, experiments.O2_ARMS)
        rows.append(row + _cells(by_metric["tlbi"].origin_arms, ("before", "v3", "v4")))
    return Section(f"{caption} (origin: {machine})", rows)


def _o2(results: list[Result], origins: Origins) -> Table:
    arms = list(experiments.O2_ARMS)
    small, large = experiments.STRIDES
    without = f" cpu={experiments.NO_RANGES}"
    theirs = origins.table("O2", f"pages=* stride={small}")
    return Table(
        "O2",
        "arm64",
        _heading(origins, "O2"),
        [
            ("", ["pages"]),
            ("TLBI instructions", arms),
            ("all instructions", arms),
            ("origin, ns", ["before", "v3", "v4"]),
        ],
        [
            _o2_section(results, origins, "", small, "Page stride, 4 KiB; CPU with ranges"),
            _o2_section(results, origins, "", large, "Block stride, 2 MiB; CPU with ranges"),
            _o2_section(results, origins, without, small, "Page stride; CPU without ranges"),
        ],
        [
            ONE_CALL,
            "One ktlb_flush_range with default flags (not the last level only, no level hint). On "
            f"the CPU with ranges (QEMU -cpu {experiments.RANGES}) the whole-id limit is out of "
            "the way, as on the origin's FPGA machine; on the one without "
            f"({experiments.NO_RANGES}) 512 pages flush the whole id.",
            "The origin's names: before = NONE, v3 = ALWAYS, v4 = PAGE_STRIDE; PLANNER is ktlb's "
            f"own. Its figures: {theirs['note']}.",
            BUILDS,
            DIFFERENT_THINGS,
        ],
    )


_O3_GROUPS = [
    ("", ["metric"]),
    ("ktlb, counts", ["before", "after", "change"]),
    ("origin, ns for 1e9 calls", ["before", "after"]),
]


def _o3(results: list[Result], origins: Origins) -> Table:
    theirs = origins.table("O3", "call")
    return Table(
        "O3",
        "arm64",
        _heading(origins, "O3"),
        _O3_GROUPS,
        [
            _by_metric(results, "call, not inlined", "A function that returns ktlb_cpu_id()"),
            _by_metric(results, "inlined", "ktlb_cpu_id() itself, inlined"),
        ],
        [
            ONE_CALL,
            "Inlined: a function that takes the number, less the same function without it.",
            BUILDS,
            f"The origin: {theirs['note']}.",
            DIFFERENT_THINGS,
        ],
    )


# ---- x86-64 -----------------------------------------------------------------------------------

NOT_UNDER_TCG = (
    "QEMU's emulated CPU has no PCID, so that each root write empties the TLB of the user's half; "
    "instructions of the PCID paths are not counted here."
)


def _o3_x86_64(results: list[Result], origins: Origins) -> Table:
    theirs = origins.table("O3", "call")
    return Table(
        "O3",
        "x86_64",
        _heading(origins, "O3"),
        _O3_GROUPS,
        [
            _by_metric(results, experiments.O3_CALL, "A function that returns ktlb_cpu_id()"),
            _by_metric(results, experiments.O3_INLINED, "ktlb_cpu_id() itself, inlined"),
        ],
        [
            ONE_CALL,
            "On x86-64 both arms are one instruction, a load relative to the per-CPU base "
            "(mov %gs:...): there the number was never far away, and the change is arm64's.",
            BUILDS,
            f"The origin, on arm64: {theirs['note']}.",
            DIFFERENT_THINGS,
        ],
    )


def _three_arms(name: str, r: Result) -> list[str]:
    ours = _cells(r.arms, experiments.O4_ARMS)
    return [name, *ours, *_cells(r.origin_arms, ("before", "after"))]


def _pairs(results: list[Result]) -> Section:
    names = {experiments.PAIRS_MEDIAN: "median", experiments.PAIRS_SPREAD: "largest less smallest"}
    rows = [_three_arms(f"{r.metric}, {names[r.case]}", r) for r in results if r.case in names]
    return Section("Requests and responses over idle: two pairs of CPUs; the whole machine", rows)


def _o4(results: list[Result], origins: Origins) -> Table:
    trip = [_three_arms(r.metric, r) for r in results if r.case == experiments.TRIP]
    switch, pairs = origins.table("O4", "switch"), origins.table("O4", "pairs")
    return Table(
        "O4",
        "x86_64",
        _heading(origins, "O4"),
        [
            ("", ["metric"]),
            ("ktlb, counts", list(experiments.O4_ARMS)),
            ("origin", ["before", "after"]),
        ],
        [Section("One round trip from idle to a task and back", trip), _pairs(results)],
        [
            "before: idle is eager (KTLB_CFG_OPT_LAZY=0, KTLB_CFG_OPT_KEEP_MASK_BIT=0: it loads "
            "the kernel's root and takes the CPU out of the old space's set, as the kernel of the "
            "origin's day did), O4 off (KTLB_CFG_OPT_KERNEL_NO_MASK=0); after: the same with O4 "
            "on; defaults: ktlb as shipped, which stays in the space lazily.",
            "Atomics of a round trip are read-modify-writes (LOCK, XCHG) of shared sets of CPUs; "
            "the full fence, a locked OR to the CPU's own stack, is none. A round trip is "
            "ktlb_switch(space) and ktlb_enter_lazy(), after a trip that is not measured.",
            ONE_CALL,
            f"The pairs: {experiments.PAIRS_LOOPS} requests and responses each, between kernel "
            "threads pinned to neighbouring CPUs, each with a space of its own, over channels of "
            "the sample kernel; each wait ends in the idle thread; from their start to their end, "
            f"{len(experiments.PHASES)} phases of the timer. Atomics there are all, locks "
            "included; switches are calls of ktlb_switch, root writes are writes of CR3; "
            "interrupts are the kernel's wake-ups and the timer's. The interleaving of CPUs is "
            "the emulator's.",
            NOT_UNDER_TCG,
            BUILDS.replace("its one option", "these options"),
            f"The origin ({switch['machine']}): beside the atomics, {switch['unit']}: "
            f"{switch['note']}; beside all instructions, {pairs['unit']}: {pairs['note']}.",
            DIFFERENT_THINGS,
        ],
    )


def _signed(value: float) -> str:
    return f"{round(value, 3):+.3f}" if round(value, 3) else "0.000"


def _storm_section(results: list[Result], cpus: int) -> Section:
    spread = {r.metric: r.arms for r in results if r.case == experiments.storm_spread(cpus)}
    rows = []
    for r in results:
        if r.case == experiments.storm_median(cpus):
            change = _signed(r.arms["after"] - r.arms["before"])
            cells = [f"{of[arm]:.3f}" for of in (r.arms, spread[r.metric]) for arm in r.arms]
            rows.append([r.metric, *cells[:2], change, *cells[2:]])
    return Section(f"{cpus} CPUs, a thread on each", rows)


def _theirs_by_threads(results: list[Result], machine: str) -> Section:
    rows = []
    for r in results:
        if r.case.startswith("threads="):
            before, after = r.origin_arms["before"], r.origin_arms["after"]
            row = [r.case, number(before), number(after), f"{after / before - 1:+.1%}", "", ""]
            rows.append(row)
    return Section(f"The origin's own, iterations ({machine})", rows)


def _o5(results: list[Result], origins: Origins) -> Table:
    theirs = origins.table("O5", "threads=*")
    return Table(
        "O5",
        "x86_64",
        _heading(origins, "O5"),
        [
            ("", ["of each request handled"]),
            (f"median of {len(experiments.PHASES)} phases", ["before", "after", "change"]),
            ("largest less smallest", ["before", "after"]),
        ],
        [
            *(_storm_section(results, cpus) for cpus in experiments.STORM_CPUS),
            _theirs_by_threads(results, theirs["machine"]),
        ],
        [
            "An iteration of the origin's benchmark is two shootdowns on Linux (giving the page back, "
            "and the copy-on-write after the read), and one on ktlb's sample kernel, as counted: "
            "compare requests, not iterations.",
            "How: the library's own counters (KTLB_CFG_COUNT=1), no instruction is counted. A user "
            "program has a thread on each CPU, all in one space; each writes a page of its own, gives "
            f"it back and reads it, which must be zero, {experiments.STORM_LOOPS} times. The end of "
            "the process, at which each CPU is asked to let go of its space, is counted, too. The "
            "emulator runs all CPUs in turn on one thread of the host (-icount), which repeats "
            "exactly; the interleaving is its own, and two CPUs that take turns hardly ever flush at "
            "once.",
            "A request is handled by each CPU that is asked, and by the one that flushes, for its "
            "own part. Generation reads are those of the contended line in the handler: before, "
            "one for every request; after, none where the request's own number says that the work "
            "is done.",
            "Built as shipped; before differs in KTLB_CFG_OPT_EARLY_OUT=0.",
            f"The origin: {theirs['note']}.",
            DIFFERENT_THINGS,
        ],
    )


_MAKE = {
    ("arm64", "O1"): _o1,
    ("arm64", "O2"): _o2,
    ("arm64", "O3"): _o3,
    ("x86_64", "O3"): _o3_x86_64,
    ("x86_64", "O4"): _o4,
    ("x86_64", "O5"): _o5,
}


def table(arch: str, origin: str, results: list[Result], origins: Origins) -> Table:
    """The table of one origin on one architecture."""
    return _MAKE[arch, origin](results, origins)


def _name(t: Table) -> str:
    return f"{t.origin} on {boot.ARCHS[t.arch].title}"


# ---- as text ----------------------------------------------------------------------------------


def wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    """Lines of a readable width; what the first and the others begin with."""
    lines = [first]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > WIDTH and lines[-1].strip():
            lines.append(rest)
        space = "" if lines[-1].endswith(" ") or not lines[-1] else " "
        lines[-1] += space + word
    return lines


def _widths(t: Table) -> list[list[int]]:
    """The width of each column, group by group, so that the group's own name fits as well."""
    rows = [row for section in t.sections for row in section.rows]
    widths, at = [], 0
    for name, columns in t.groups:
        group = [
            max(len(c), *(len(row[at + i]) for row in rows)) for i, c in enumerate(columns)
        ]
        group[-1] += max(0, len(name) - sum(group) - len(group) + 1)
        widths.append(group)
        at += len(columns)
    return widths


def _line(cells: list[str], widths: list[list[int]]) -> str:
    parts, at = [], 0
    for index, group in enumerate(widths):
        texts = []
        for width in group:
            left = index == 0 and not cells[at].isdigit()
            texts.append(cells[at].ljust(width) if left else cells[at].rjust(width))
            at += 1
        parts.append(" ".join(texts))
    return " | ".join(parts).rstrip()


def as_text(t: Table) -> str:
    """For a terminal."""
    widths = _widths(t)
    rule = "-+-".join("-" * (sum(group) + len(group) - 1) for group in widths)
    groups = [
        name.ljust(sum(group) + len(group) - 1)
        for (name, _), group in zip(t.groups, widths, strict=True)
    ]
    lines = wrapped(t.title, f"{_name(t)}: ", "   ")
    lines += ["", " | ".join(groups).rstrip()]
    lines.append(_line([c for _, columns in t.groups for c in columns], widths))
    for section in t.sections:
        lines += [rule, section.caption]
        lines += [_line(row, widths) for row in section.rows]
    lines += [rule]
    for note in t.notes:
        lines += wrapped(note, "  * ", "    ")
    return "\n".join(lines) + "\n"


# ---- as a page --------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 75rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; }
th.name, td.name { text-align: left; }
thead th { border-bottom: 1px solid var(--line); }
tbody tr:nth-child(even) { background: var(--soft); }
td.first, th.first { border-left: 1px solid var(--line); }
tr.caption th { text-align: left; padding-top: 1rem; white-space: normal; }
li { margin: .3rem 0; }
"""


def _starts(t: Table) -> set[int]:
    """The columns that begin a group, but for the first."""
    starts, at = set(), 0
    for _, columns in t.groups:
        starts.add(at)
        at += len(columns)
    return starts - {0}


def _html_cell(tag: str, text: str, index: int, t: Table) -> str:
    classes = []
    if index < len(t.groups[0][1]):
        classes.append("name")
    if index in _starts(t):
        classes.append("first")
    attribute = f' class="{" ".join(classes)}"' if classes else ""
    return f"<{tag}{attribute}>{html.escape(text)}</{tag}>"


def _html_row(tag: str, cells: list[str], t: Table) -> str:
    return "<tr>" + "".join(_html_cell(tag, c, i, t) for i, c in enumerate(cells)) + "</tr>"


def _html_table(t: Table) -> str:
    columns = [c for _, group in t.groups for c in group]
    groups = "".join(
        f'<th colspan="{len(group)}" scope="colgroup">{html.escape(name)}</th>'
        for name, group in t.groups
    )
    lines = [
        f"<h2>{_name(t)}: {html.escape(t.title)}</h2>",
        '<div class="wide"><table><thead>',
        f"<tr>{groups}</tr>",
        _html_row("th", columns, t),
        "</thead>",
    ]
    for section in t.sections:
        caption = html.escape(section.caption)
        lines.append(
            f'<tbody><tr class="caption"><th colspan="{len(columns)}">{caption}</th></tr>'
        )
        lines += [_html_row("td", row, t) for row in section.rows]
        lines.append("</tbody>")
    lines.append("</table></div><ul>")
    lines += [f"<li>{html.escape(note)}</li>" for note in t.notes]
    lines.append("</ul>")
    return "\n".join(lines)


def as_page(tables: list[Table], provenance: str) -> str:
    """One page, complete in itself."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<title>ktlb: before and after</title>",
            f"<style>{_STYLE}</style></head><body>",
            "<h1>ktlb: published changes, before and after</h1>",
            f"<p>{html.escape(provenance)}</p>",
            *(_html_table(t) for t in tables),
            "</body></html>",
            "",
        ]
    )
