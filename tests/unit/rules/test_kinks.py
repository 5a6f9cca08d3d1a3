"""Tests that the table of kinks is the one of the documentation."""

from __future__ import annotations

from srcgrad.rules.kinks import KINKS
from srcgrad.rules.library import RULES, canonical_name
from tools.structure import ROOT


def documented():
    """Return the rows of the first table of the page of conventions, but for the names of tests."""
    page = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8")
    _, table, *_ = page.split("\n## ")
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    return {tuple(cell.strip() for cell in row[:4]) for row in rows[2:]}


def test_the_table_is_that_of_the_page():
    assert {(kink.shown, kink.where, kink.gradient, kink.torch) for kink in KINKS} == documented()


def test_every_function_in_it_has_a_rule():
    known = {canonical_name(primal) for primal in RULES}
    assert {name for kink in KINKS for name in kink.functions} - known == set()
