# SPDX-License-Identifier: MIT
"""What the tests that are written in Python share: a line for each assertion, and a count."""

from __future__ import annotations

from collections.abc import Callable


class Tap:
    """Prints "ok" and "not ok", and counts both."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.passed = 0
        self.failed = 0

    def check(self, what: str, got: object, want: object) -> None:
        """Is `got` what it should be?"""
        if got == want:
            self.passed += 1
            print(f"ok - {self.subject}: {what}")
        else:
            self.failed += 1
            print(f"not ok - {self.subject}: {what}: got {got!r}, want {want!r}")

    def raises(
        self, what: str, error: type[Exception], text: str, call: Callable[[], object]
    ) -> None:
        """Does the call fail with this error, and with this in its text?"""
        try:
            got: object = call()
        except error as raised:
            got = text if text in str(raised) else str(raised)
        self.check(what, got, text)

    def end(self) -> int:
        """The last line; the exit status."""
        print(f"{self.subject}: {self.passed} passed, {self.failed} failed")
        return 0 if self.failed == 0 and self.passed > 0 else 1
