"""Changes of lists that are reached under two names are seen, as runs of drawn programs show."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from srcgrad.analyses.objects import Containers, objects
from srcgrad.compiler.doctesting import parse, program_of, reader_of
from srcgrad.ir.changes import change_of
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.program import is_store
from srcgrad.ir.walk import statements

NAMES = "abcd"
SEEDS = range(100)
FOLLOWED = {"own": 1484, "aliases": 1587, "conflicts": 418, "with a name": 249, "with `a`": 56}
"""How many changes are those of containers of the program, and what else is said of them.

Another number than before says that more changes are followed than were, or fewer.
"""
_MADE = (
    "[x, x]",
    "[{m}, x]",
    "{m}",
    "{m}",
    "{m}[0]",
    "{m}[1:]",
    "list({m})",
    "[{m}, {k}]",
    "(x, {m})",
)
_MADE += (
    "[x for _ in {m}]",
    "[{m} for _ in range(2)]",
    "[x] + {m}",
    "{m}[{m} is {k}]",
    "[*{m}, x]",
)
_MADE += ("{m} if x else {k}", "{m} or {k}", "{{0: {m}, 1: x}}", "[x] * 2", "[[{m}], x]", "not {m}")
_CHANGES = ("{n}.append({m})", "{n}.append(x)", "{n}[0] = {m}", "{n}[0] = x", "{n} = {m}.pop()")
_CHANGES += ("{n}.insert(0, {m})", "{n}[1] = {m}", "{n}.append({n})")


def drawn(rng: Random) -> str:
    """Return a program that makes, shares and changes lists, tuples and dicts."""
    lines = [f"{name} = [x, x]" for name in NAMES]
    indent = ""
    for _ in range(rng.randint(3, 8)):
        n, m, k = (rng.choice(NAMES) for _ in range(3))
        kind = rng.random()
        if kind < 0.12:
            lines.append(f"{indent}{rng.choice(('for _ in range(2)', 'if x'))}:")
            indent += " "
        elif kind < 0.2:
            taken = f"for {n} in {m}:\n{indent} x = 2", f"{n}, {k} = {m}", f"({n}, x), {k} = {m}"
            lines += (indent + rng.choice(taken)).split("\n")
        elif kind < 0.6:
            lines.append(f"{indent}{n} = " + rng.choice(_MADE).format(m=m, k=k))
        else:
            lines.append(indent + rng.choice(_CHANGES).format(n=n, m=m))
            if indent and rng.random() < 0.5:
                indent = indent[1:]
    if lines[-1].endswith(":"):
        lines.append(f"{indent}pass")
    return "\n".join([*lines, f"out = ({', '.join(rng.sample(NAMES, 3))})"])


def _reaches(value: Any, wanted: Any) -> bool:
    seen: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item is wanted:
            return True
        if isinstance(item, (list, tuple, dict)) and id(item) not in seen:
            seen[id(item)] = item
            waiting += item.values() if isinstance(item, dict) else item
    return False


def _shared(text: str, live: dict[int, frozenset[str]], names: dict[int, str]) -> set[int]:
    """Run a program; return the lines that change what is reached under another name later on."""
    found: set[int] = set()

    def see(line: int, held: dict[str, Any]) -> None:
        changed = held.get(names[line])
        others = (held.get(name) for name in NAMES if name != names[line] and name in live[line])
        if isinstance(changed, (list, dict)) and any(_reaches(item, changed) for item in others):
            found.add(line)

    lines = text.split("\n")
    for line in names:
        body = lines[line - 1]
        indent = body[: len(body) - len(body.lstrip())]
        lines[line - 1] = f"{indent}see({line}, locals()); {body.lstrip()}"
    for x in (0, 1):
        with suppress(IndexError, KeyError, TypeError, ValueError, AttributeError):
            exec("\n".join(lines), {"see": see, "x": x})
    return found


def _live(body: list[Any]) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}

    def note(statement: Any, names: set[str]) -> None:
        found[statement.lineno] = frozenset(names)

    walk_live(body, set(), note)
    return found


def _said(text: str) -> tuple[Containers, list[Any]]:
    program = program_of("def f(x): return x")
    program.reader = reader_of(list=list, range=range)
    program.body = parse(f"{text}\n")
    return objects(program), program.body


@pytest.mark.parametrize("seed", SEEDS)
def test_changes_of_what_two_names_reach_are_conflicts(seed: int) -> None:
    rng = Random(seed)
    for _ in range(8):
        text = drawn(rng)
        found, body = _said(text)
        changes = {}
        for statement in statements(body):
            change = change_of(statement)
            if change is not None:
                changes[statement.lineno] = change.name
            elif is_store(statement):
                changes[statement.lineno] = statement.targets[0].value.id
        conflicts = {statement.lineno for statement, _ in found.conflicts.values()}
        own = {s.lineno for s in statements(body) if id(s) in found.own}
        missed = (_shared(text, _live(body), changes) & own) - conflicts
        assert not missed, f"{text}\n{missed}"


def test_other_changes_are_followed() -> None:
    counts: Counter[str] = Counter()
    for seed in SEEDS:
        rng = Random(seed)
        for _ in range(8):
            found, _ = _said(drawn(rng))
            counts["own"] += len(found.own)
            counts["aliases"] += sum(map(len, found.aliases.values()))
            counts["conflicts"] += len(found.conflicts)
            counts["with a name"] += sum(other is not None for _, other in found.conflicts.values())
            counts["with `a`"] += sum(other == "a" for _, other in found.conflicts.values())
    assert counts == FOLLOWED
