"""Writes docs/coverage-language.md from the corpus: ``make pages``."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import srcgrad as sg
from tests.docs.constructs import constructs
from tests.programs.corpus import Engine, Program, every_program

PAGE = Path(__file__).parent.parent.parent / "docs" / "coverage-language.md"
SHOWN = 2  # names of programs in a cell

HEAD = """\
# Programs by construct

Written by `make pages` from the programs of `tests/programs`, each of which is checked against
finite differences: change those, not this page. A program counts for every construct in it; one on
the tape comes with a warning, one that is refused with an error. [What is
differentiated](language.md) is the summary.

| construct | by source | on the tape | refused | such as |
|---|--:|--:|--:|---|
"""

NOT_BY_SOURCE = """
## Not by source

What the compiler says first of each program that it refuses.

| program | goes by | code | line |
|---|---|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    programs = every_program()
    rows = [_row(name, users) for name, users in sorted(_users(programs).items(), key=_order)]
    others = [_refusal(item) for item in programs.values() if item.by != "source"]
    return HEAD + "".join(rows) + NOT_BY_SOURCE + "".join(others)


def _users(programs: dict[str, Program]) -> dict[str, list[Program]]:
    users: dict[str, list[Program]] = defaultdict(list)
    for item in programs.values():
        for construct in constructs(item.function):
            users[construct].append(item)
    return users


def _order(item: tuple[str, list[Program]]) -> tuple[str, str]:
    return item[0].strip("`.*:").lower(), item[0]


def _number(programs: object, engine: Engine) -> int:
    return sum(item.by == engine for item in programs)  # type: ignore[attr-defined]


def _row(construct: str, users: list[Program]) -> str:
    first = sorted(users, key=lambda item: (item.by != "source", item.name))[:SHOWN]
    names = ", ".join(f"`{item.name}`" for item in first)
    counts = [str(_number(users, engine) or "") for engine in ("source", "tape", "refused")]
    return f"| {construct} | {' | '.join(counts)} | {names} |\n"


def _refusal(item: Program) -> str:
    try:
        sg.grad(item.function, item.argnums, fallback="error")(*item.arguments())
    except sg.UnsupportedError as refusal:
        first = refusal.diagnostics[0]
        line = first.span.text.strip() if first.span else ""
        return f"| `{item.name}` | {item.by} | {first.code} | `{line}` |\n"
    return f"| `{item.name}` | source | | |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
