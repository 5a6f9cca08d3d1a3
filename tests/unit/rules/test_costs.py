"""The guide gives a reason for each rule that the benchmark may find dear."""

from __future__ import annotations

from pathlib import Path

from bench.rules import REASONS, cases
from srcgrad.rules.library import canonical_name

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "custom-rules.md"


def test_the_guide_names_the_rules_that_cost_more() -> None:
    measured = {canonical_name(function) for function in cases()}
    section = GUIDE.read_text().split("## What a rule may cost")[1]
    rows = " ".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    for name in REASONS:
        assert name in measured
        assert f"`{name.removeprefix('numpy.')}`" in rows
