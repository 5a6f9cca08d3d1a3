"""The texts of the corpus in a table: how long each is, and a hash that tells when it changes.

Golden files show what a reader gets. There are a few of them; the corpus has many programs, and a
change of an analysis or a pass shows in a text that nobody keeps. The table says in which.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import multiprocessing
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import srcgrad as sg
from srcgrad.api.halves import Adjoints
from srcgrad.api.pushforward import Tangents
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_batched import together

FILE: Final = Path(__file__).with_name("ledger.txt")
PLACES: Final = re.compile(r"# L\d+(-L?\d+)?|[\w/-]+\.py:\d+")
"""Where a thing stands in the user's file: that changes with every line above it."""
IN_ERRORS: Final = re.compile(r"\S+\.py:\d+|^ *\d+ \|", re.MULTILINE)
"""The same in the messages of errors."""
IN_EXPLANATIONS: Final = re.compile(r" *\bL\d+(-L?\d+)?\b *")
"""The same in explanations, with the blanks that line up what follows."""
EVERY: Final = os.environ.get("SRCGRAD_ALL_CASES", "0") != "0"
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


def told(program: Program) -> str:
    """What is said of the gradient: what is active, kept and inlined, and why."""
    explained = sg.grad(program.function, program.argnums, fallback="error").explain()
    return IN_EXPLANATIONS.sub(" ", str(explained))


def second(program: Program) -> str:
    """The tangents of the gradient."""
    gradient = sg.grad(program.function, program.argnums, fallback="error")
    return sg.pushforward(gradient, program.argnums, fallback="error").source


def batched(program: Program) -> str:
    """The program over many examples."""
    return over_a_batch(program.function, program)


def gradients(program: Program) -> str:
    """The gradient over many examples."""
    return over_a_batch(sg.grad(program.function, program.argnums, fallback="error"), program)


def over_a_batch(function: Any, program: Program) -> str:
    """Return the text of a function of a program's arguments over many examples."""
    axes = tuple(None if kind in ("n", "l", "k") else 0 for kind in program.kinds)
    many = sg.vmap(function, axes, fallback="error")
    many(
        *(
            v if a is None else together([v] * 3)
            for v, a in zip(program.arguments(), axes, strict=True)
        )
    )
    return many.source


def rows(program: Program) -> str:
    """The tangents and the two halves of a pullback, for many seeds at once."""
    names = list(inspect.signature(program.function).parameters)
    given = dict(zip(names, program.arguments(), strict=False))  # the rest has defaults
    made = [
        kind(program.function, [names[i] for i in program.argnums])._stacked
        for kind in (Tangents, Adjoints)
    ]
    return "\n".join(plans.plan(given, keep_complex=False).generated.source for plans in made)


MODES: Final[dict[str, tuple[int, int, Callable[[Program], str]]]] = {
    "reverse": (1, 1, reverse),
    "seen": (4, 1, seen),
    "forward": (4, 1, forward),
    "batched": (6, 1, batched),
    "told": (120, 2, told),
    "second": (120, 6, second),
    "gradients": (120, 4, gradients),
    "rows": (120, 4, rows),
}
"""Each kind of text: one in how many programs is looked at, and one in how many is in the table.

All that is in the table is looked at with ``SRCGRAD_ALL_CASES=1``, as it is to find mutants.
"""


def cases(*, every: bool = EVERY) -> list[tuple[str, Program]]:
    """Return the kinds of texts and the programs that are looked at."""
    programs = list(programs_by("source").values())
    return [
        (mode, program)
        for mode, (few, many, _) in MODES.items()
        for program in sample(programs, many if every else few)
    ]


def entry(mode: str, program: Program) -> str:
    """Return what the table says of a text; of the error, where it is refused.

    >>> shown("def f(x):\\n    return x  # L7") == shown("def f(x):\\n    return x  # L9")
    True
    """
    try:
        return shown(MODES[mode][2](program))
    except Exception as error:  # noqa: BLE001 - which one it is, is what is compared
        said = IN_ERRORS.sub("", str(error))
        return f"{type(error).__name__}:{hashed(said)}"


def hashed(text: str) -> str:
    """Return the beginning of a hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def shown(text: str) -> str:
    """Return the length of a text and a hash of it, but for places in the user's file."""
    said = PLACES.sub("", text)
    return f"{len(said.splitlines())}:{hashed(said)}"


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
    """Return what there is to say today, found by as many processes as there are cores."""
    table: Table = {mode: {} for mode in MODES}
    wanted = _all_cases()
    with multiprocessing.get_context("fork").Pool() as pool:
        found = pool.map(_entry_at, range(len(wanted)), chunksize=20)  # programs do not pickle
    for (mode, program), said in zip(wanted, found, strict=True):
        table[mode][program.name] = said
    return table


def _entry_at(place: int) -> str:
    return entry(*_all_cases()[place])


@functools.cache
def _all_cases() -> list[tuple[str, Program]]:
    return cases(every=True)
