"""The texts of the corpus in a table: how long each is, and a hash that tells when it changes.

Golden files show what a reader gets. There are a few of them; the corpus has many programs, and a
change of an analysis or a pass shows in a text that nobody keeps. The table says in which.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import srcgrad as sg
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_batched import together

FILE: Final = Path(__file__).with_name("ledger.txt")
PLACES: Final = re.compile(r"# L\d+(-L?\d+)?|[\w/-]+\.py:\d+")
"""Where a thing stands in the user's file: that changes with every line above it."""
Table = dict[str, dict[str, str]]


def reverse(program: Program) -> str:
    """The gradient, for arguments of any shapes."""
    return sg.grad(program.function, program.argnums, fallback="error").source


def seen(program: Program) -> str:
    """The gradient for the shapes of a call."""
    gradient = sg.grad(program.function, program.argnums, fallback="error")
    gradient(*program.arguments())
    return gradient.source


def forward(program: Program) -> str:
    """The tangents."""
    return sg.pushforward(program.function, program.argnums, fallback="error").source


def batched(program: Program) -> str:
    """The program over many examples."""
    axes = tuple(None if kind in ("n", "l", "k") else 0 for kind in program.kinds)
    many = sg.vmap(program.function, axes, fallback="error")
    many(
        *(
            v if a is None else together([v] * 3)
            for v, a in zip(program.arguments(), axes, strict=True)
        )
    )
    return many.source


MODES: Final[dict[str, tuple[int, Callable[[Program], str]]]] = {
    "reverse": (1, reverse),
    "seen": (4, seen),
    "forward": (4, forward),
    "batched": (6, batched),
}
"""Each kind of text, with how many of the programs are one that has it in the table."""


def cases() -> list[tuple[str, Program]]:
    """Return all kinds of texts of all programs that are in the table."""
    programs = programs_by("source").values()
    return [(mode, p) for mode, (share, _) in MODES.items() for p in sample(programs, share)]


def entry(mode: str, program: Program) -> str:
    """Return what the table says of a text; why there is none, where it is refused.

    >>> shown("def f(x):\\n    return x  # L7") == shown("def f(x):\\n    return x  # L9")
    True
    """
    try:
        return shown(MODES[mode][1](program))
    except sg.SrcgradError as error:
        return type(error).__name__


def shown(text: str) -> str:
    """Return the length of a text and a hash of it, but for places in the user's file."""
    said = PLACES.sub("", text)
    return f"{len(said.splitlines())}:{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def read() -> Table:
    """Return what the file says of each kind of text, by program."""
    table: Table = {mode: {} for mode in MODES}
    for line in FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else ():
        name, *parts = line.split()
        for mode, said in (part.split("=") for part in parts):
            table[mode][name] = said
    return table


def write(table: Table) -> None:
    """Write the file: a line for each program."""
    names = sorted({name for said in table.values() for name in said})
    lines = [
        " ".join([name, *(f"{mode}={said[name]}" for mode, said in table.items() if name in said)])
        for name in names
    ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def current() -> Table:
    """Return what there is to say today."""
    table: dict[str, Any] = {mode: {} for mode in MODES}
    for mode, program in cases():
        table[mode][program.name] = entry(mode, program)
    return table
