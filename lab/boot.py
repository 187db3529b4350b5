# SPDX-License-Identifier: MIT
"""Boots a kernel in QEMU and returns what was counted: by the plugin, or by the library itself.

The machine counts instructions, not time (-icount), and one thread of the host runs all CPUs in
turn, so that a boot repeats exactly.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import counts

ROOT = Path(__file__).resolve().parent.parent
CPUS = 4
TIMEOUT_S = 150
LAST_LINES = 12

# The plugin's arguments, and the symbols whose addresses they are.
MARKS = {"mark": "bench_mark_store", "slots": "bench_mark_slots", "called": "ktlb_switch"}


@dataclass(frozen=True)
class Arch:
    """What is different about an architecture's machine and tools."""

    title: str
    run: Path
    qemu: str
    tools: tuple[str, ...]  # prefixes of the compiler and the like; the first that is there
    shift: int  # an instruction takes 2^shift ns of the guest's time
    marks: dict[str, str]

    def tool(self, name: str) -> str:
        """A tool's name with its prefix."""
        there = (prefix + name for prefix in self.tools if shutil.which(prefix + name))
        return next(there, self.tools[0] + name)


# x86-64's clocks are calibrated against another one, for a while: slow if time passes slowly.
ARCHS = {
    "arm64": Arch(
        "arm64", ROOT / "tools/run-arm64", "qemu-system-aarch64", ("aarch64-linux-gnu-",), 0, MARKS
    ),
    "x86_64": Arch(
        "x86-64",
        ROOT / "tools/run-x86_64",
        "qemu-system-x86_64",
        ("x86_64-linux-gnu-", ""),
        5,
        {**MARKS, "interrupt": "machine_interrupt"},
    ),
}


class BootError(Exception):
    """A boot failed; the text names the kernel, its command line and its last words."""


@dataclass(frozen=True)
class Boot:
    """One boot: which kernel, on which CPU model, with which words, on how many CPUs."""

    variant: str
    cpu: str
    cmdline: str
    arch: str = "arm64"
    cpus: int = CPUS
    by_library: bool = False  # the library's own counters are wanted, and nothing else is
    lines: bool = False  # accesses and distinct cache lines are wanted, too

    def kernel(self) -> str:
        """The name of the build."""
        return f"{self.arch}-lab-{self.variant}"

    def name(self) -> str:
        """For progress lines."""
        cpus = f"{self.cpu}, {self.cpus} CPUs"
        return f"{self.arch} {self.variant} ({cpus}): {self.cmdline.removeprefix('bench ')}"


def symbols(kernel: Path, arch: str = "arm64") -> dict[str, int]:
    """The addresses of a kernel's symbols."""
    nm = [ARCHS[arch].tool("nm"), str(kernel)]
    done = subprocess.run(nm, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BootError(f"not a kernel: {done.stderr.strip() or kernel}")
    table = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 3:
            table[words[2]] = int(words[0], 16)
    return table


def plugin_argument(arch: str, plugin: Path, kernel: Path, out: Path) -> str:
    """The argument of -plugin; a comma in a path has to be doubled."""
    table = symbols(kernel, arch)
    options = {"out": str(out)}
    for option, name in ARCHS[arch].marks.items():
        if name not in table:
            raise BootError(f"not a kernel with marks: {kernel} has no symbol {name}")
        options[option] = hex(table[name])
    words = [str(plugin)] + [f"{name}={value}" for name, value in options.items()]
    return ",".join(word.replace(",", ",,") for word in words)


def command(boot: Boot, kernel: Path) -> list[str]:
    """The boot, as a command; what makes it countable is in the environment."""
    machine = ["-c", str(boot.cpus), "-m", boot.cpu]
    return [str(ARCHS[boot.arch].run), *machine, str(kernel), *boot.cmdline.split()]


def environment(boot: Boot, kernel: Path, plugin: Path, out: Path) -> dict[str, str]:
    """What tools/run-ARCH adds to QEMU's arguments, and how long it waits."""
    extra = ["-icount", f"shift={ARCHS[boot.arch].shift},sleep=off"]
    if not boot.by_library:
        argument = plugin_argument(boot.arch, plugin, kernel, out)
        extra += ["-plugin", argument + (",lines=1" if boot.lines else "")]
    return {**os.environ, "QEMU_EXTRA": " ".join(extra), "KTLB_TIMEOUT": str(TIMEOUT_S)}


def _failure(boot: Boot, kernel: Path, why: str, console: str) -> BootError:
    last = "\n".join("  | " + line for line in console.splitlines()[-LAST_LINES:])
    return BootError(
        f"boot failed: {why}\n  kernel: {kernel}\n  cpu: {boot.cpu}, {boot.cpus} of them\n"
        f'  cmdline: "{boot.cmdline}"\n'
        f"  the last lines of its console:\n{last or '  | (nothing)'}"
    )


def run(boot: Boot, kernel: Path, plugin: Path) -> dict[str, Counter[str]]:
    """Boots, waits for the end, and returns the counts of each case."""
    with tempfile.TemporaryDirectory(prefix="ktlb-demo-") as directory:
        out = Path(directory) / "counts"
        done = subprocess.run(
            command(boot, kernel),
            env=environment(boot, kernel, plugin, out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        console = done.stdout.decode(errors="replace").replace("\r", "")
        if done.returncode != 0:
            raise _failure(boot, kernel, f"the exit status is {done.returncode}", console)
        if "bench: done" not in console:
            raise _failure(boot, kernel, "the benchmark did not end", console)
        try:
            if boot.by_library:
                return {counts.LIBRARY: counts.parse_library(console)}
            return counts.per_case(console, out.read_text())
        except counts.CountError as error:
            raise _failure(boot, kernel, str(error), console) from None
