#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves what the counting plugin counts.

First against guest.S, a guest whose every block is known by hand. Then, given a sample kernel,
against a disassembly: a function without branches executes its instructions once, so the plugin
must count as many as objdump lists, loads and stores too. x86-64's tests are in x86_64.py.

    test_count.py --plugin FILE --guest FILE [--kernel FILE]
                  [--decode FILE --kernel-x86-64 FILE]
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
import counts  # noqa: E402
import experiments  # noqa: E402
import performance  # noqa: E402
import x86_64  # noqa: E402
from tap import Tap  # noqa: E402

OBJDUMP = "aarch64-linux-gnu-objdump"
MACHINE = counts.MACHINE_TAGS

# What is in each block of guest.S, the marks left out: tag, what it is, counts that are not zero.
# "other" is every instruction that has no counter of its own.
BLOCKS: list[tuple[int, str, dict[str, int]]] = [
    (2, "NOP", {"other": 7}),
    (3, "LDR", {"load": 3}),
    (4, "LDP", {"load": 4}),
    (5, "STP with write-back", {"store": 5}),
    (6, "STR of a vector register", {"store": 2}),
    (7, "LDRB with a register offset", {"load": 2}),
    (8, "LDRSW", {"load": 3}),
    (9, "PRFM", {"other": 2}),
    (10, "LDR of a literal", {"load": 3}),
    (11, "LDAR", {"load": 2}),
    (12, "STLR", {"store": 2}),
    (13, "LDAPR", {"load": 2}),
    (14, "LDADD", {"atomic": 4}),
    (15, "SWPAL", {"atomic": 3}),
    (16, "CASAL", {"atomic": 2}),
    (17, "CASP", {"atomic": 2}),
    (18, "MSR TTBR0_EL1", {"ttbr": 6}),
    (19, "MSR TTBR1_EL1", {"ttbr": 2}),
    (20, "TLBI VAE1IS", {"tlbi_page": 2}),
    (21, "TLBI VAALE1IS", {"tlbi_page": 3}),
    (22, "TLBI VALE1", {"tlbi_page": 2}),
    (23, "TLBI RVAE1IS", {"tlbi_range": 3}),
    (24, "TLBI RVAALE1", {"tlbi_range": 2}),
    (25, "TLBI ASIDE1IS", {"tlbi_id": 2}),
    (26, "TLBI VMALLE1IS", {"tlbi_all": 2}),
    (27, "TLBI VMALLE1", {"tlbi_all": 2}),
    (28, "DSB ISH", {"dsb": 2}),
    (29, "DSB ISHST", {"dsb": 3}),
    (30, "DMB ISH", {"dmb": 2}),
    (31, "ISB", {"isb": 2}),
    (32, "MRS of TTBR0_EL1", {"other": 3}),
    (33, "LD1", {"load": 2}),
    (34, "ST1", {"store": 2}),
    (35, "DC CIVAC", {"other": 2}),
    # mov, then three times: ldxr add stlxr cbnz ldaxp stxp subs b.ne
    (36, "exclusive pairs", {"exclusive": 6, "atomic": 6, "other": 1 + 3 * 4}),
    (37, "calls, by address", {"called": 3, "other": 6}),
    (38, "LDADD on the second CPU", {"atomic": 50}),
    (MACHINE + 1, "NOP, counted on all CPUs while one is off", {"other": 9}),
]

# Functions of the kernel without branches, and the case that measures each.
STRAIGHT = {
    "bench_seven_nops": "seven nops",
    "bench_return": "return",
    "cpu_id_call": "cpu id call",
    "cpu_id_inlined": "cpu id inlined",
}


def boot_guest(guest: Path, plugin: Path) -> tuple[dict[int, list[Counter[str]]], list[str]]:
    """What the plugin measured in guest.S, and the lines in which it complains."""
    table = boot.symbols(guest)
    with tempfile.TemporaryDirectory(prefix="ktlb-count-") as directory:
        out = Path(directory) / "counts"
        command = [boot.ARCHS["arm64"].qemu, "-M", "virt,gic-version=3", "-cpu", "max", "-smp", "2"]
        command += ["-nodefaults", "-display", "none", "-semihosting", "-kernel", str(guest)]
        command += ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-plugin"]
        command.append(
            f"{plugin},mark={table['bench_mark_store']:#x},slots={table['bench_mark_slots']:#x},"
            f"called={table['called']:#x},out={out}"
        )
        subprocess.run(command, check=True, timeout=60, stdin=subprocess.DEVNULL)
        lines = out.read_text().splitlines()
    measured = [line for line in lines if line.startswith("tag=")]
    return counts.parse_plugin("\n".join(measured)), [x for x in lines if x not in measured]


def test_guest(tap: Tap, guest: Path, plugin: Path) -> None:
    """Every block of guest.S, and the plugin's complaint about the one that never ends."""
    measured, complaints = boot_guest(guest, plugin)
    nothing = measured[1][0]
    tap.check(
        "the marks alone: RET, MOV, ADD, BL, STRB",
        {k: n for k, n in nothing.items() if n},
        {"instructions": 5, "other": 4, "store": 1},
    )
    for tag, name, want in BLOCKS:
        got = Counter(measured[tag][0])
        got.subtract(nothing)
        total = sum(n for k, n in want.items() if k != "called")
        tap.check(
            f"{name}", {k: n for k, n in got.items() if n}, {"instructions": total, **want}
        )
    tap.check(
        "atomics of another CPU are in a count of all CPUs", measured[MACHINE + 2][0]["atomic"], 50
    )
    tap.check(
        "a measurement that does not end is reported",
        complaints,
        ["broken: measurement 99 never ended"],
    )


def disassembly(kernel: Path, function: str) -> list[str]:
    """The mnemonics of a function, up to its return."""
    command = [OBJDUMP, "-d", "--no-show-raw-insn", f"--disassemble={function}", str(kernel)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    body = text.split(f"<{function}>:", 1)[1]
    words = re.findall(r"^\s*[0-9a-f]+:\s+(\S+)", body, re.MULTILINE)
    return words[: words.index("ret") + 1]


def test_kernel(tap: Tap, kernel: Path, plugin: Path) -> None:
    """The counts of functions without branches, against their disassembly."""
    measured = boot.run(experiments.micro("default"), kernel, plugin)
    for function, case in STRAIGHT.items():
        words = disassembly(kernel, function)
        branches = [w for w in words[:-1] if w.startswith(("b", "cb", "tb"))]
        tap.check(f"{function} has no branches", branches, [])
        want = {
            "instructions": len(words),
            "load": sum(w.startswith("ld") for w in words),
            "store": sum(w.startswith("st") for w in words),
        }
        tap.check(f"{case}, as disassembled", {k: measured[case][k] for k in want}, want)
    nops = measured["seven nops"]["instructions"] - measured["return"]["instructions"]
    tap.check("seven NOPs in the kernel are seven", nops, 7)


def test_failure(tap: Tap, kernel: Path, plugin: Path) -> None:
    """A boot that fails says which, and why."""
    failing = boot.Boot("default", "max", "bench messages loops=x")
    try:
        boot.run(failing, kernel, plugin)
        said = "nothing"
    except boot.BootError as error:
        said = str(error)
    for what, text in (
        ("kernel", str(kernel)),
        ("command line", '"bench messages loops=x"'),
        ("last console line", "loops= wants a number"),
    ):
        tap.check(f"a failed boot names its {what}", text in said, True)


def main() -> int:
    """Returns 0 if all passed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--guest", type=Path, required=True)
    parser.add_argument("--kernel", type=Path)
    parser.add_argument("--decode", type=Path)
    parser.add_argument("--kernel-x86-64", type=Path)
    arguments = parser.parse_args()
    tap = Tap("count")
    test_guest(tap, arguments.guest, arguments.plugin)
    if arguments.kernel:
        test_kernel(tap, arguments.kernel, arguments.plugin)
        test_failure(tap, arguments.kernel, arguments.plugin)
        performance.test(tap, "arm64", arguments.kernel, arguments.plugin)
    if arguments.kernel_x86_64:
        x86_64.test_decoder(tap, arguments.decode, arguments.kernel_x86_64)
        x86_64.test_kernel(tap, arguments.kernel_x86_64, arguments.plugin)
        performance.test(tap, "x86_64", arguments.kernel_x86_64, arguments.plugin)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
