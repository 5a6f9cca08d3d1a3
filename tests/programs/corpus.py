"""Collects the programs that every engine must agree on, with the engine that each must go by."""

from __future__ import annotations

import importlib
import pkgutil
import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = str | tuple[Any, ...]
Engine = Literal["source", "tape", "refused"]
PROGRAMS: dict[str, Program] = {}


@dataclass(frozen=True, slots=True)
class Program:
    """A function with the kinds of its arguments.

    The kinds are: s a positive float, v a vector, m and M matrices that can be multiplied, n a
    small int, d a dict of arrays, t a tuple of arrays, a a list of such. ``("v", 8)`` and
    ``("m", 2, 3)`` say the size; ``("w", (3, 4), (4, 4))`` is a tuple of matrices. These but ints
    are differentiated; l is a list of floats and k a dict of such, which are not.

    `by` says what must differentiate it: generated source, the tape (with a warning that says why),
    or neither (an error). It is checked, so that whoever lets a program through by source learns of
    it and takes the mark away. `warns` says that NumPy warns of values that are not finite.
    """

    function: Callable[..., Any]
    kinds: tuple[Kind, ...]
    by: Engine = "source"
    warns: bool = False

    @property
    def name(self) -> str:
        """The program's module and name."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    @property
    def line(self) -> int:
        """The line that the program begins on."""
        return self.function.__code__.co_firstlineno

    def arguments(self, seed: int = 0) -> tuple[Any, ...]:
        """Return fresh arguments."""
        rng = np.random.default_rng(seed)
        return tuple(_make(kind, rng) for kind in self.kinds)

    @property
    def argnums(self) -> tuple[int, ...]:
        """The arguments to differentiate with respect to."""
        return tuple(i for i, kind in enumerate(self.kinds) if kind not in ("n", "l", "k"))


def _make(kind: Kind, rng: np.random.Generator) -> Any:
    if isinstance(kind, tuple):
        letter, *sizes = kind
        if letter == "w":
            return tuple(rng.normal(size=shape) for shape in sizes)
        return rng.normal(size=tuple(sizes))
    if kind == "s":
        return float(rng.uniform(0.6, 2.0))
    containers: dict[str, Callable[[], Any]] = {
        "d": lambda: {"w": rng.normal(size=(2, 3)), "b": rng.normal(size=2)},
        "t": lambda: (rng.normal(size=3), rng.normal(size=3)),
        "a": lambda: [rng.normal(size=3), rng.normal(size=3)],
        "n": lambda: 3,
        "l": lambda: [0.5, 2.0],
        "k": lambda: {"a": 1.5, "b": 0.5},
    }
    if kind in containers:
        return containers[kind]()
    shapes: dict[str, tuple[int, ...]] = {"v": (4,), "m": (3, 4), "M": (4, 2)}
    return rng.normal(size=shapes[kind])


def program(
    *kinds: Kind, by: Engine = "source", warns: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the decorated function to the corpus."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Program(function, kinds, by, warns)
        known = PROGRAMS.setdefault(made.name, made)
        if known.line != made.line:  # the same line comes twice where pytest imports a module anew
            raise ValueError(f"there are two programs {made.name}")
        return function

    return add


def every_program() -> dict[str, Program]:
    """Import the modules beside this one and return all programs, by module and name."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if not module.name.startswith("test_"):
            importlib.import_module(f"{package}.{module.name}")
    return dict(sorted(PROGRAMS.items()))


def programs_by(*engines: Engine) -> dict[str, Program]:
    """Return the programs that must be differentiated by one of some engines."""
    return {name: item for name, item in every_program().items() if item.by in engines}


def without_module_names(text: str) -> str:
    """Return a text without the names of the generated modules that it imports from.

    Where the same text was loaded before, for other values outside, they have numbers.
    """
    return re.sub(r"(?<=srcgrad\._generated\.)\w+", "", text)


def sample(programs: Iterable[Program], one_in: int) -> list[Program]:
    """Return one in so many programs, the same ones when others are added."""
    return [p for p in programs if zlib.crc32(f"{one_in} {p.name}".encode()) % one_in == 0]
