# SPDX-License-Identifier: MIT
"""Times some calls on the host's own CPUs, where KVM is there and real.

Some hosts emulate KVM, or each instruction under it: a time measured there is not that of a CPU.
So the first run is a probe, of one second at the most, in which a call of a function of seven NOPs
must not take long.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import boot
import counts

DEVICE = Path("/dev/kvm")
PROBE_SECONDS = 1
NOPS = "seven nops"
NOPS_LIMIT_PS = 100_000
COMMAND = "bench time"

Times = dict[str, int]


class NoKvm(Exception):
    """Why there are no measured nanoseconds, in a few words."""


def time_calls(kernel: Path, seconds: int = boot.TIMEOUT_S) -> Times:
    """What the kernel measures under KVM, in picoseconds, by case."""
    command = boot.command(boot.Boot("", "max", COMMAND, "x86_64", 1), kernel)
    done = subprocess.run(
        command,
        env={**os.environ, "ACCEL": "kvm", "QEMU_EXTRA": "", "KTLB_TIMEOUT": str(seconds)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == 124:
        raise NoKvm(f"it is emulated or slow (the kernel did not get through in {seconds} s)")
    if done.returncode != 0:
        raise NoKvm("QEMU cannot use it")
    return counts.parse_times(done.stdout.decode(errors="replace"))


def probe(kernel: Path, device: Path = DEVICE) -> Times:
    """The times of one kernel, if they are worth something."""
    if not device.exists():
        raise NoKvm(f"there is no {device}")
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError as error:
        raise NoKvm(f"{device} cannot be opened ({error.strerror})") from None
    return judged(time_calls(kernel, PROBE_SECONDS))


def judged(times: Times) -> Times:
    """The same, if NOPs are as fast as on a CPU."""
    if NOPS not in times:
        raise NoKvm("the kernel did not measure anything")
    if times[NOPS] > NOPS_LIMIT_PS:
        raise NoKvm(f"it emulates instructions ({NOPS}: {times[NOPS] // 1000} ns)")
    return times


def measure(
    variants: list[str], kernel: Callable[[str], Path], device: Path = DEVICE
) -> tuple[dict[str, Times], str]:
    """The times of each variant, and a sentence; no times, and why."""
    try:
        probe(kernel(variants[0]), device)
        times = {variant: time_calls(kernel(variant)) for variant in variants}
    except NoKvm as why:
        return {}, f"KVM: {why}; no measured nanoseconds."
    return times, (
        "KVM: nanoseconds are this machine's own, the mean of many calls with the loop around "
        "them; with PCID if KVM offers it to the guest."
    )
