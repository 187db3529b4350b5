#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/setup on machines that this is not: a PATH of stand-ins says what is there and who we are.

Nothing is installed: apt-get is a stand-in that writes down how it was called.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SETUP = TESTS.parent / "tools" / "setup"
sys.path.insert(0, str(TESTS))

from tap import Tap  # noqa: E402

HELPERS = ("sh", "cat", "awk", "grep", "mktemp", "rm", "tail", "env", "touch", "chmod", "true")
TOOLS = ("make", "gcc", "python3", "aarch64-linux-gnu-gcc", "g++", "clang", "clang-format")
TOOLS += ("shellcheck",)

# Knows packages once there are lists; "installs" QEMU, for both architectures; two files of 1.5 and 2.1 MB to fetch.
APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case $* in
update*) touch "$LISTS" ;;
*--print-uris*)
    echo "'http://host/a.deb' a.deb 1500000 SHA256:0"
    echo "'https://host/b.deb' b.deb 2100000 SHA256:0" ;;
*) [ -e "$FAIL" ] && exit 100
   for qemu in qemu-system-aarch64 qemu-system-x86_64; do
       printf '#!/bin/sh\\n' >"$BIN/$qemu"
       chmod +x "$BIN/$qemu"
   done ;;
esac
"""
APT_CACHE = """#!/bin/sh
[ -e "$LISTS" ] && printf '%s:\\n  Candidate: 1.0\\n' "$2"
exit 0
"""
SUDO = """#!/bin/sh
[ "$1" = -n ] && shift
echo "sudo $*" >>"$CALLS"
exec "$@"
"""


@dataclass
class Ran:
    """What one run of tools/setup did."""

    status: int
    out: str
    err: str
    calls: list[str]


class Machine:
    """A machine without QEMU, for one run of tools/setup at a time."""

    def __init__(self, directory: Path, root: bool = True, sudo: bool = False) -> None:
        self.bin = directory / "bin"
        self.lists = directory / "lists"
        self.fail = directory / "fail"
        self.calls = directory / "calls"
        self.bin.mkdir(parents=True)
        for name in HELPERS:
            (self.bin / name).symlink_to(str(shutil.which(name)))
        for name in TOOLS:
            self.add(name, "#!/bin/sh\n")
        self.add("id", f"#!/bin/sh\necho {0 if root else 1000}\n")
        self.add("apt-get", APT_GET)
        self.add("apt-cache", APT_CACHE)
        if sudo:
            self.add("sudo", SUDO)

    def add(self, name: str, text: str) -> None:
        """Puts a program into the machine's PATH."""
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, *arguments: str) -> Ran:
        """Runs tools/setup there."""
        self.calls.write_text("")
        variables = {
            "PATH": self.bin,
            "BIN": self.bin,
            "LISTS": self.lists,
            "FAIL": self.fail,
            "CALLS": self.calls,
        }
        done = subprocess.run(
            [str(self.bin / "sh"), str(SETUP), *arguments],
            env={name: str(value) for name, value in variables.items()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        calls = self.calls.read_text().splitlines()
        return Ran(done.returncode, done.stdout, done.stderr, calls)


QEMUS = ["qemu-system-arm", "qemu-system-x86"]
INSTALL = "apt-get install --no-install-recommends -y qemu-system-arm qemu-system-x86"


def test_arguments(tap: Tap, directory: Path) -> None:
    """Wrong ones do nothing."""
    machine = Machine(directory)
    for arguments in ((), ("what",), ("demo", "--what"), ("demo", "--print", "x")):
        ran = machine.run(*arguments)
        tap.check(f"arguments {arguments}", (ran.status, ran.calls, ran.out), (2, [], ""))


def test_install(tap: Tap, directory: Path) -> None:
    """As root, with empty package lists at first."""
    machine = Machine(directory)
    ran = machine.run("demo")
    tap.check("installs", (ran.status, ran.err), (0, ""))
    kinds = [c.split()[1] for c in ran.calls]
    tap.check("lists first, then size, then packages", kinds, ["update", "install", "install"])
    tap.check("asks for the size before", "--print-uris" in ran.calls[1], True)
    tap.check("without recommended packages", "--no-install-recommends" in ran.calls[2], True)
    tap.check("what is missing, no more", ran.calls[2].split()[-2:], QEMUS)
    tap.check("the size, rounded up", " 4 MB" in ran.out, True)
    again = machine.run("demo")
    tap.check("then there is nothing to do", (again.status, again.calls), (0, []))
    tap.check("and that is said in one line", again.out.count("\n"), 1)
    tap.check("with a size of nothing", "download: 0 MB" in again.out, True)


def test_print(tap: Tap, directory: Path) -> None:
    """--print changes nothing."""
    machine = Machine(directory)
    ran = machine.run("demo", "--print")
    tap.check("--print, no lists: calls nothing", (ran.status, ran.calls), (0, []))
    tap.check("--print, no lists: size unknown", "not known" in ran.out, True)
    machine.lists.touch()
    ran = machine.run("demo", "--print")
    tap.check("--print: the size alone is asked for", len(ran.calls), 1)
    tap.check("--print: the command", INSTALL in ran.out, True)


def test_rights(tap: Tap, directory: Path) -> None:
    """Not root: by sudo, or not at all."""
    with_sudo = Machine(directory / "sudo", root=False, sudo=True).run("demo")
    tap.check("sudo: installs", with_sudo.status, 0)
    by_sudo = [c for c in with_sudo.calls if c.startswith("sudo env")]
    tap.check("sudo: for lists and packages", len(by_sudo), 2)

    ran = Machine(directory / "none", root=False).run("demo")
    tap.check("no sudo: fails, calls nothing", (ran.status, ran.calls), (1, []))
    tap.check("no sudo: the command to run", f"apt-get update && {INSTALL}" in ran.err, True)


def test_failures(tap: Tap, directory: Path) -> None:
    """No apt; an apt that fails; sources without the packages."""
    machine = Machine(directory / "noapt")
    (machine.bin / "apt-get").unlink()
    ran = machine.run("demo")
    tap.check("no apt: says so", (ran.status, "has no apt" in ran.err), (1, True))
    tap.check("no apt: names what is missing", "qemu-system-arm" in ran.err, True)

    machine = Machine(directory / "fails")
    machine.lists.touch()
    machine.fail.touch()
    ran = machine.run("demo")
    kinds = [c.split()[1] for c in ran.calls]
    want = ["install", "install", "update", "install"]
    tap.check("a failed install is tried with new lists", kinds, want)
    tap.check("and then given up", (ran.status, INSTALL in ran.err), (1, True))

    machine = Machine(directory / "unknown")
    machine.add("apt-cache", "#!/bin/sh\nexit 0\n")
    ran = machine.run("demo")
    tap.check("an unknown package", (ran.status, "do not have" in ran.err), (1, True))
    tap.check("nothing is installed then", [c.split()[1] for c in ran.calls], ["update"])


def main() -> int:
    """Returns 0 if all passed."""
    tap = Tap("setup")
    if not os.path.exists("/usr/include/stdlib.h"):
        print("SKIP setup: /usr/include/stdlib.h is missing, which tools/setup looks for")
        return 0
    for test in (test_arguments, test_install, test_print, test_rights, test_failures):
        with tempfile.TemporaryDirectory(prefix="ktlb-setup-") as directory:
            test(tap, Path(directory) / "machine")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
