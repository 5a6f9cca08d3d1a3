"""Which cases of tests are refused, in a table: a case that is refused and not in it fails.

Tests that go over all programs, or all calls, leave out what is refused; so nobody would notice
what is refused from now on. `pytest --update-golden` adds what is new to the table; what is not
refused any more may be taken out.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Final, NoReturn

import pytest

FILE: Final = Path(__file__).with_name("refusals.txt")
UPDATES: Final = "SRCGRAD_UPDATE_GOLDEN"


@functools.cache
def table() -> dict[str, set[str]]:
    """Return the cases that are refused of each test."""
    found: dict[str, set[str]] = {}
    cases: set[str] = set()
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            cases.add(line.strip())
        else:
            cases = found.setdefault(line, set())
    return found


def note_refused(refusal: object, how: str = "") -> None:
    """Fail if nobody knows that the running test is refused, in the parts that `how` says."""
    name = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]
    test, _, case = name.partition("[")
    case = f"{case.removesuffix(']')} {how}".rstrip()
    if case not in table().get(test, ()):
        if os.environ.get(UPDATES) != "1":
            pytest.fail(f"{name} is refused, which {FILE.name} does not say: {refusal}")
        table().setdefault(test, set()).add(case)
        _write()


def skip_refused(refusal: object) -> NoReturn:
    """Leave the running test out, whose case is known to be refused."""
    note_refused(refusal)
    pytest.skip(f"refused: {str(refusal).splitlines()[0]}")


def _write() -> None:
    lines = []
    for test, cases in sorted(table().items()):
        lines += [test, *(f"    {case}" for case in sorted(cases))]
    FILE.write_text("\n".join([*lines, ""]), encoding="utf-8")
