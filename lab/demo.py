#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots the sample kernel in all the builds that the origins need, and shows before and after.

Prints one table an origin, the origin's own figures beside ours, and writes demo.json and
report.html. `make demo` builds what this needs and calls it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NoReturn

import boot
import experiments
import tables
from boot import Boot, BootError
from experiments import Origins, Result

ROOT = Path(__file__).resolve().parent.parent
ORIGINS = ("O1", "O2", "O3")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"demo.py: {message} (--help shows what there is)", file=sys.stderr)
        raise SystemExit(2)


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("origins", nargs="*", metavar="O1|O2|O3", help="only these (default: all)")
    parser.add_argument(
        "--kernels",
        required=True,
        metavar="PATTERN",
        help="where a build's kernel is; {} stands for its name",
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
    """Done, total, and what was done last: on a terminal, and nowhere else."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.on = sys.stderr.isatty()
        self.show("booting")

    def show(self, text: str) -> None:
        """Replaces the line."""
        if self.on:
            print(f"\r\033[K[{self.done}/{self.total}] {text}"[:110], end="", file=sys.stderr)
            sys.stderr.flush()

    def step(self, text: str) -> None:
        """One more is done."""
        self.done += 1
        self.show(text)

    def clear(self) -> None:
        """Takes the line away."""
        if self.on:
            print("\r\033[K", end="", file=sys.stderr)


def run_boots(
    boots: list[Boot], kernels: str, plugin: Path, jobs: int
) -> dict[Boot, dict[str, Counter[str]]]:
    """Runs all boots, so many at a time; the first failure ends the rest."""
    counts = {}
    progress = Progress(len(boots))
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        running = {
            pool.submit(boot.run, b, Path(kernels.replace("{}", b.variant)), plugin): b
            for b in boots
        }
        try:
            for future in as_completed(running):
                counts[running[future]] = future.result()
                progress.step(running[future].name())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            progress.clear()
    return counts


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


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    arguments = parse_arguments(argv)
    origins = Origins(ROOT / "lab/origins.json")
    boots = experiments.boots(set(arguments.origins))
    try:
        counts = run_boots(boots, arguments.kernels, arguments.plugin, arguments.jobs)
    except BootError as error:
        print(f"demo.py: {error}", file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"demo.py: not there: {error.filename}", file=sys.stderr)
        return 1

    results, shown = [], []
    for origin in arguments.origins:
        of_origin = experiments.RUN[origin](counts, origins)
        results += of_origin
        shown.append(tables.table(origin, of_origin, origins))
    text = as_json(results, version(), commit())
    write_atomically(arguments.out / "demo.json", text)
    write_atomically(
        arguments.out / "report.html", tables.as_page(shown, version(), commit())
    )
    if arguments.json:
        print(text, end="")
    else:
        for one in shown:
            print(tables.as_text(one))
        print(f"written: {arguments.out}/demo.json and {arguments.out}/report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
