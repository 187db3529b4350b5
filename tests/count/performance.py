# SPDX-License-Identifier: MIT
"""What docs/PERFORMANCE.md says, against what is counted: nothing may have grown.

The figures of the document are the budget, so that there is one copy of them. Costs of calls are counted
by the plugin in a boot of the sample kernel; sizes and stacks are the compiler's. Run by itself,
`make performance`, it writes the tables of the document anew:

    performance.py --plugin FILE --kernel FILE --kernel-x86-64 FILE
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "lab")]

import boot  # noqa: E402
from tap import Tap  # noqa: E402

ROOT = TESTS.parent
DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"
COMPILER_OF_FIGURES = "12.2.0"

# Cases of `bench micro`, by the words of the document.
CASES = {
    "switch hit": "switch hit",
    "switch within one space": "switch to the space that is loaded",
    "to idle": "enter lazy",
    "and back": "switch from lazy",
    "flush of one page, no other CPU": "flush of a page, no other CPU",
    "handler, nothing to do": "handler, nothing to do",
    "handler, already up to date": "handler, already up to date",
    "poll, nothing to do": "poll, nothing to do",
    "CPU number, as a function": "cpu id call",
}
WORDS = {"arm64": "bench micro full=1000000", "x86_64": "bench micro"}
COLUMNS = ["instructions", "reads", "writes", "atomic", "fences", "lines", "lines_written"]

FLAGS = ["-std=c11", "-ffreestanding", "-O2", "-fno-stack-protector", "-DKTLB_CFG_COUNT=0"]
ARCH_FLAGS = {
    "arm64": ["-mgeneral-regs-only", "-mno-outline-atomics"],
    "x86_64": ["-mgeneral-regs-only", "-mno-red-zone"],
}


def is_compiler_of_figures(arch: str) -> bool:
    """Other compilers have other figures."""
    command = [boot.ARCHS[arch].tool("gcc"), "-dumpfullversion"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip() == COMPILER_OF_FIGURES


# ---- costs ---------------------------------------------------------------------------------------


def counted(arch: str, kernel: Path, plugin: Path) -> dict[str, list[int]]:
    """The row of each case that there is."""
    case = boot.Boot("default", "max", WORDS[arch], arch, lines=True)
    measured = boot.run(case, kernel, plugin)
    rows = {}
    for words, name in CASES.items():
        if name in measured:
            rows[words] = [_column(measured[name], column) for column in COLUMNS]
    return rows


def _column(counts: Counter[str], column: str) -> int:
    if column == "fences":
        return counts["fence"] + counts["dsb"] + counts["dmb"]
    return counts[column]


# ---- sizes and stacks ----------------------------------------------------------------------------


def public_functions() -> list[str]:
    """The names of the functions that ktlb.h declares."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "include/ktlb/ktlb.h").read_text(), flags=re.S)
    names = re.findall(r"^[a-z][^;{}()#=]*?\b(ktlb_\w+)\(", text, re.M)
    return list(dict.fromkeys(names))


def compiled(arch: str) -> dict[str, tuple[int, int]]:
    """Of each public function its size and the most stack that it and what it calls use, in bytes."""
    sources = subprocess.run(
        ["make", "-s", "print-srcs", f"ARCH={arch}"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    includes = ["-Iinclude", f"-Isrc/arch/{arch}"]
    sizes: dict[str, int] = {}
    own: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory(prefix="ktlb-size-") as directory:
        for source in sources:
            target = Path(directory) / (Path(source).stem + ".o")
            compiler = [boot.ARCHS[arch].tool("gcc"), *FLAGS, *ARCH_FLAGS[arch], *includes]
            compiler += ["-fcallgraph-info=su", "-c", source, "-o", str(target)]
            subprocess.run(compiler, cwd=ROOT, check=True)
            symbols = subprocess.run(
                [boot.ARCHS[arch].tool("nm"), "-S", str(target)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for size, name in re.findall(r"^\w+ (\w+) [Tt] (\w+)$", symbols, re.M):
                sizes[name] = int(size, 16)
            _read_graph(target.with_suffix(".ci").read_text(), own, calls)
    found = {}
    for function in public_functions():
        name = "ktlb_init_max_cpus_64_cache_line_64" if function == "ktlb_init" else function
        if name in sizes:
            found[function] = (sizes[name], _deepest(name, own, calls, ()))
    return found


def _read_graph(text: str, own: dict[str, int], calls: dict[str, set[str]]) -> None:
    for title, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]*)"', text):
        used = re.search(r"(\d+) bytes \((static|dynamic,bounded)\)", label)
        if used:
            own[title] = int(used.group(1))
    for caller, callee in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', text):
        calls.setdefault(caller, set()).add(callee)


def _deepest(name: str, own: dict[str, int], calls: dict[str, set[str]], path: tuple) -> int:
    """What is not ours (the port, callbacks) counts nothing; a cycle once."""
    name = _resolve(name, own)
    if name in path:
        return 0
    below = [_deepest(callee, own, calls, (*path, name)) for callee in calls.get(name, ())]
    return own.get(name, 0) + max(below, default=0)


def _resolve(name: str, own: dict[str, int]) -> str:
    return name if name in own else name.rsplit(":", 1)[-1]


# ---- the document --------------------------------------------------------------------------------


def rows_of(arch: str, section: str) -> dict[str, list[int]]:
    """The rows of a table of the document: its heading is "### ARCH: SECTION"."""
    text = DOCUMENT.read_text()
    body = text.split(f"### {arch}: {section}\n", 1)[1].split("\n#", 1)[0]
    rows = {}
    for line in body.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) > 1 and re.fullmatch(r"\d+", cells[1]):
            rows[cells[0]] = [int(cell) for cell in cells[1:]]
    return rows


def grown(now: dict[str, list[int]], budget: dict[str, list[int]]) -> list[str]:
    """Rows of which a figure is larger than in the document, or which it does not have."""
    return [
        f"{name}: {figures}, the document has {budget.get(name)}"
        for name, figures in now.items()
        if name not in budget or any(a > b for a, b in zip(figures, budget[name], strict=True))
    ]


def test(tap: Tap, arch: str, kernel: Path, plugin: Path) -> None:
    """Nothing has grown, and nothing of the document is gone."""
    if not is_compiler_of_figures(arch):
        print(f"# PERFORMANCE.md is of gcc {COMPILER_OF_FIGURES}: {arch} is not compared")
        return
    tables = {
        "costs": counted(arch, kernel, plugin),
        "size and stack": {name: list(of) for name, of in compiled(arch).items()},
    }
    for section, now in tables.items():
        budget = rows_of(arch, section)
        tap.check(f"{arch}: {section}: nothing has grown", grown(now, budget), [])
        tap.check(f"{arch}: {section}: every row is there", sorted(set(budget) - set(now)), [])


def _table(head: list[str], rows: dict[str, list[int]], quote: str) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, figures in rows.items():
        lines.append("| " + " | ".join([quote + name + quote, *map(str, figures)]) + " |")
    return "\n".join(lines)


def _replace_table(arch: str, section: str, table: str) -> None:
    text = DOCUMENT.read_text()
    heading = f"### {arch}: {section}\n"
    before, after = text.split(heading, 1)
    rest = re.split(r"\n(?=#)", after, maxsplit=1)
    DOCUMENT.write_text(before + heading + "\n" + table + "\n" + "".join("\n" + r for r in rest[1:]))


def main() -> None:
    """Writes the tables of the document anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument("--kernel-x86-64", type=Path, required=True)
    arguments = parser.parse_args()
    for arch, kernel in (("arm64", arguments.kernel), ("x86_64", arguments.kernel_x86_64)):
        head = ["call", "instructions", "reads", "writes", "atomics", "fences", "lines"]
        costs = counted(arch, kernel, arguments.plugin)
        _replace_table(arch, "costs", _table([*head, "lines written"], costs, ""))
        sizes = {name: list(of) for name, of in compiled(arch).items()}
        head = ["function", "code, bytes", "stack, bytes"]
        _replace_table(arch, "size and stack", _table(head, sizes, "`"))


if __name__ == "__main__":
    main()
