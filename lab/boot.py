# SPDX-License-Identifier: MIT
"""Boots a kernel in QEMU under the counting plugin and returns what was counted.

The machine counts instructions, not time (-icount), and one thread of the host runs all CPUs in
turn, so that a boot repeats exactly.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import counts

ROOT = Path(__file__).resolve().parent.parent
RUN = ROOT / "tools" / "run-arm64"
QEMU = "qemu-system-aarch64"
CC = "aarch64-linux-gnu-gcc"
NM = "aarch64-linux-gnu-nm"
CPUS = 4
TIMEOUT_S = 150
LAST_LINES = 12

# The plugin's arguments, and the symbols whose addresses they are.
MARKS = {"mark": "bench_mark_store", "slots": "bench_mark_slots", "called": "ktlb_switch"}


class BootError(Exception):
    """A boot failed; the text names the kernel, its command line and its last words."""


@dataclass(frozen=True)
class Boot:
    """One boot: which kernel, on which CPU model, with which words."""

    variant: str
    cpu: str
    cmdline: str

    def name(self) -> str:
        """For progress lines."""
        return f"{self.variant} ({self.cpu}): {self.cmdline.removeprefix('bench ')}"


def symbols(kernel: Path) -> dict[str, int]:
    """The addresses of a kernel's symbols."""
    done = subprocess.run([NM, str(kernel)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BootError(f"not a kernel: {done.stderr.strip() or kernel}")
    table = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 3:
            table[words[2]] = int(words[0], 16)
    return table


def plugin_argument(plugin: Path, kernel: Path, out: Path) -> str:
    """The argument of -plugin; a comma in a path has to be doubled."""
    table = symbols(kernel)
    options = {"out": str(out)}
    for option, name in MARKS.items():
        if name not in table:
            raise BootError(f"not a kernel with marks: {kernel} has no symbol {name}")
        options[option] = hex(table[name])
    words = [str(plugin)] + [f"{name}={value}" for name, value in options.items()]
    return ",".join(word.replace(",", ",,") for word in words)


def command(boot: Boot, kernel: Path) -> list[str]:
    """The boot, as a command; what makes it countable is in the environment."""
    machine = ["-c", str(CPUS), "-m", boot.cpu]
    return [str(RUN), *machine, str(kernel), *boot.cmdline.split()]


def environment(kernel: Path, plugin: Path, out: Path) -> dict[str, str]:
    """What tools/run-arm64 adds to QEMU's arguments, and how long it waits."""
    extra = ["-icount", "shift=0,sleep=off", "-plugin", plugin_argument(plugin, kernel, out)]
    return {**os.environ, "QEMU_EXTRA": " ".join(extra), "KTLB_TIMEOUT": str(TIMEOUT_S)}


def _failure(boot: Boot, kernel: Path, why: str, console: str) -> BootError:
    last = "\n".join("  | " + line for line in console.splitlines()[-LAST_LINES:])
    return BootError(
        f'boot failed: {why}\n  kernel: {kernel}\n  cpu: {boot.cpu}\n  cmdline: "{boot.cmdline}"\n'
        f"  the last lines of its console:\n{last or '  | (nothing)'}"
    )


def run(boot: Boot, kernel: Path, plugin: Path) -> dict[str, Counter[str]]:
    """Boots, waits for the end, and returns the counts of each case."""
    with tempfile.TemporaryDirectory(prefix="ktlb-demo-") as directory:
        out = Path(directory) / "counts"
        done = subprocess.run(
            command(boot, kernel),
            env=environment(kernel, plugin, out),
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
            return counts.per_case(console, out.read_text())
        except counts.CountError as error:
            raise _failure(boot, kernel, str(error), console) from None
