"""Checks which engine differentiates each expression of the checklist, and that it is right."""

from __future__ import annotations

import pytest

from tests.checklist.running import FILE, MARK, by_source, by_tape, listed, probe, verdict

LISTED = listed()


def refusers(expression: str) -> str:
    """Return which engines refuse an expression; a wrong gradient is an error."""
    item = probe(expression)
    verdicts = {"source": verdict(item, by_source), "tape": verdict(item, by_tape)}
    assert not any(text.startswith("wrong") for text in verdicts.values()), verdicts
    return " and ".join(name for name, text in verdicts.items() if text.startswith("refused"))


@pytest.mark.parametrize("expression", LISTED)
def test_an_expression_is_differentiated_right_or_refused(expression: str) -> None:
    assert set(refusers(expression).split()) <= set(LISTED[expression].split())


def test_the_list_is_current(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--update-golden"):
        pytest.skip("written with --update-golden")
    lines = []
    for line in FILE.read_text().splitlines():
        expression = line.partition(MARK)[0]
        found = refusers(expression) if expression in LISTED else ""
        lines.append(f"{expression}{MARK}{found}" if found else expression)
    FILE.write_text("\n".join(lines) + "\n")
