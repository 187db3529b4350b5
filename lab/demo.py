#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots the sample kernel in all the builds that the origins need, and shows before and after.

Prints one table an origin and architecture, the origin's own figures beside ours, and writes
demo.json and report.html. `make demo` builds what this needs and calls it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import boot
import experiments
import kvm
import tables
from boot import Boot, BootError
from experiments import Origins, Result
from tables import Table

ROOT = Path(__file__).resolve().parent.parent
ORIGINS = ("O1", "O2", "O3", "O4", "O5")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"demo.py: {message} (--help shows what there is)", file=sys.stderr)
        raise SystemExit(2)


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "origins", nargs="*", metavar="ORIGIN", help="only these, O1 to O5 (default: all)"
    )
    parser.add_argument(
        "--kernels",
        required=True,
        metavar="PATTERN",
        help="where a build's kernel is; {} stands for its name, such as arm64-lab-default",
    )
    parser.add_argument(
        "--skip-x86-64", metavar="WHY", help="without the x86-64 half, for this reason"
    )
    parser.add_argument("--plugin", required=True, type=Path, help="the counting plugin")
    parser.add_argument("--out", type=Path, default=ROOT / "out", help="where the files go")
    parser.add_argument("--jobs", type=int, default=2, help="boots at a time (default: 2)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    arguments = parser.parse_args(argv)
    unknown = [o for o in arguments.origins if o not in ORIGINS]
    if unknown:
        parser.error(f"no such origin: {unknown[0]}")
    if arguments.jobs < 1:
        parser.error("--jobs must be 1 or more")
    if "{}" not in arguments.kernels:
        parser.error("--kernels needs {} where the name of the build goes")
    arguments.origins = [o for o in ORIGINS if o in arguments.origins or not arguments.origins]
    return arguments


class Progress:
    """Done, total, and what is running: on a terminal, and nowhere else."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.running: list[str] = []
        self.on = sys.stderr.isatty()
        self.lock = threading.Lock()

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """One piece of work, from its beginning to its end."""
        with self.lock:
            self.running.append(name)
            self._show()
        try:
            yield
        finally:
            with self.lock:
                self.running.remove(name)
                self.done += 1
                self._show()

    def _show(self) -> None:
        if self.on:
            line = f"[{self.done}/{self.total}] {'; '.join(self.running)}"
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{line[:width]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Takes the line away."""
        if self.on:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def run_boots(
    boots: list[Boot], kernels: str, plugin: Path, jobs: int
) -> dict[Boot, dict[str, Counter[str]]]:
    """Runs all boots, so many at a time; the first failure ends the rest."""
    progress = Progress(len(boots))

    def run(one: Boot) -> dict[str, Counter[str]]:
        with progress.of(one.name()):
            return boot.run(one, Path(kernels.replace("{}", one.kernel())), plugin)

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            return dict(zip(boots, pool.map(run, boots), strict=True))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            progress.clear()


def architectures(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Those of this run."""
    return tuple(a for a in boot.ARCHS if a != "x86_64" or not arguments.skip_x86_64)


def version() -> str:
    """The library's, from its header."""
    header = (ROOT / "include/ktlb/ktlb.h").read_text(encoding="utf-8")
    found = re.search(r'#define KTLB_VERSION\s+"([^"]+)"', header)
    return found.group(1) if found else "unknown"


def commit() -> str:
    """What git calls this tree, with "-dirty" after it if it was changed since."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    command += ["--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def first_line(*command: str) -> str:
    """What a tool says of its version."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or ["unknown"])[0]


def provenance(archs: tuple[str, ...]) -> str:
    """What the figures are of, in one sentence."""
    parts = [f"ktlb {version()}, commit {commit()}"]
    for arch in (boot.ARCHS[name] for name in archs):
        parts.append(
            f"{arch.title}, {boot.CPUS} CPUs where nothing else is said, in "
            f"{first_line(arch.qemu, '--version')}, compiled with -O2 by "
            f"{first_line(arch.tool('gcc'), '--version')}"
        )
    return "; ".join(parts) + "."


def write_atomically(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        os.fchmod(file.fileno(), 0o644)
    os.replace(file.name, path)


def as_json(results: list[Result], name: str, tree: str) -> str:
    """out/demo.json: an experiment a line."""
    lines = ",\n".join("  " + json.dumps(r.as_json()) for r in results)
    return (
        f'{{"ktlb": {json.dumps(name)}, "commit": {json.dumps(tree)}, "experiments": [\n'
        f"{lines}\n]}}\n"
    )


def measured_times(arguments: argparse.Namespace) -> tuple[dict[str, kvm.Times], str]:
    """Times under KVM and a sentence; the sentence is empty where there is nothing to time."""
    variants = experiments.timed_variants(set(arguments.origins))
    if arguments.skip_x86_64 or not variants:
        return {}, ""

    def kernel(variant: str) -> Path:
        return Path(arguments.kernels.replace("{}", f"x86_64-lab-{variant}"))

    return kvm.measure(variants, kernel)


def measure(arguments: argparse.Namespace) -> tuple[list[Result], list[Table], list[str]]:
    """All results, their tables, and what else there is to say."""
    origins = Origins(ROOT / "lab/origins.json")
    archs = architectures(arguments)
    boots = experiments.boots(set(arguments.origins), archs)
    counts = run_boots(boots, arguments.kernels, arguments.plugin, arguments.jobs)
    times, about_kvm = measured_times(arguments)
    results, shown = [], []
    for origin in arguments.origins:
        for arch in archs:
            found = experiments.run(arch, origin, counts, origins, times)
            if found is not None:
                results += found
                shown.append(tables.table(arch, origin, found, origins))
    said = [about_kvm] if about_kvm else []
    if arguments.skip_x86_64:
        said.append(f"SKIP x86-64: {arguments.skip_x86_64}")
    return results, shown, said


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    arguments = parse_arguments(argv)
    try:
        results, shown, said = measure(arguments)
    except BootError as error:
        print(f"demo.py: {error}", file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"demo.py: not there: {error.filename}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo.py: interrupted", file=sys.stderr)
        return 130

    text = as_json(results, version(), commit())
    about = " ".join([provenance(architectures(arguments)), *said])
    write_atomically(arguments.out / "demo.json", text)
    write_atomically(arguments.out / "report.html", tables.as_page(shown, about))
    if not arguments.json:
        parts = ["\n".join(tables.wrapped(provenance(architectures(arguments)))) + "\n"]
        parts += [tables.as_text(one) for one in shown]
        parts += [sentence + "\n" for sentence in said]
        parts.append(f"written: {arguments.out}/demo.json and {arguments.out}/report.html\n")
        text = "\n".join(parts)
    return say(text)


def say(text: str) -> int:
    """Prints to a reader that may have heard enough; returns the exit status."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
