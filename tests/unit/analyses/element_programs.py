"""Draws loops over the elements of an array, and runs them to see which element is met when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from sys import _getframe
from typing import Any

import numpy as np

_LINE = ("i", "i", "i - 1", "i + 1", "i + 2", "n - 1 - i", "0", "-1", "n - 1", "m", "k", "2 * i")
_LINE += ("i:", ":i", "i + 1:", ":-1", "1:", "i:i + 2", ":", "-i", "i - n", "::2", "n:", "i // 2")
_TABLE = ("i, j", "i, j", "j, i", "i, j - 1", "i - 1, j", "i", "i, :", ":, i", "i, j:", "i, :j")
_TABLE += ("i + 1, j", "i, j + 1", "-1, j", "i, i", ":i, j", "i:, j", "..., j", "0, 0", "m, i", ":")
_OUTER = (
    "range(n)",
    "range(1, n)",
    "range(n - 1, -1, -1)",
    "range(n - 2, 0, -1)",
    "range(0, n, 2)",
)
_OUTER += ("reversed(range(1, n))", "reversed(range(n))", "range(m)", "range(2, n)", "range(0)")
_OUTER += (
    "range(m, n)",
    "range(n, 0, -2)",
    "reversed(range(n, 0, -1))",
    "reversed(range(0, n, 2))",
)
_INNER = ("range(i)", "range(i + 1, n)", "range(i, n)", "range(n)", "reversed(range(i))")
_INNER += ("range(n - 1, i, -1)", "range(i - 1, -1, -1)", "range(1, i + 1)", "range(i - 1, i + 1)")


@dataclass(slots=True)
class Met:
    """One time that a line has read or written some elements."""

    line: int
    writes: bool
    places: frozenset[int]


class Watched:
    """An array without values, which notes what is met of it."""

    def __init__(self, places: Any, log: list[Met]) -> None:
        self.places, self.log = places, log

    @property
    def shape(self) -> tuple[int, ...]:
        return self.places.shape  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.places)

    def _meet(self, index: Any, *, writes: bool) -> Any:
        part = self.places[index]
        line, places = _getframe(2).f_lineno, frozenset(map(int, np.ravel(part)))
        last = self.log[-1] if self.log else None
        if writes and last is not None and (last.line, last.places) == (line, places):
            last.writes = True  # ``y[i] += a`` reads and writes
        else:
            self.log.append(Met(line, writes, places))
        return part

    def __getitem__(self, index: Any) -> Watched:
        return Watched(self._meet(index, writes=False), self.log)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._meet(index, writes=True)

    def __add__(self, other: Any) -> Watched:
        return self


@dataclass(slots=True)
class Drawn:
    """A program that is drawn: loops over the elements of `y`, of one axis or of two."""

    rng: Random
    maker: str
    axes: int
    aliases: bool = False
    lines: list[str] = field(default_factory=list)

    def draw(self) -> str:
        """Return the text of a program."""
        self.lines = [self.rng.choice(("n = len(x)", "n = s", "n = x.shape[0]", "n = len(x) // 2"))]
        self.lines += [self.rng.choice(("m = n - 1", "m = 1", "m = s")), f"y = {self.maker}(x)"]
        if self.aliases and self.rng.random() < 0.5:
            self.lines.append(self.rng.choice(("z = y", "z = y[1:]")))
        for _ in range(self.rng.randint(1, 3)):
            self._block("", ())
        return "\n".join(self.lines)

    def _block(self, indent: str, loops: tuple[str, ...]) -> None:
        kind = self.rng.random()
        if kind < 0.5 and len(loops) < 2:
            self._loop(indent, loops)
        elif kind < 0.6 and len(indent) < 6:
            self.lines.append(f"{indent}if {self.rng.choice((*loops, 'c'))}:")
            self._block(f"{indent}  ", loops)
            if self.rng.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self._block(f"{indent}  ", loops)
        else:
            self._access(indent, loops)

    def _loop(self, indent: str, loops: tuple[str, ...]) -> None:
        name = "j" if loops else "i"
        if not indent and self.rng.random() < 0.1:
            self.lines += ["k = 0", "while k < 3:", "  k = k + 1"]
            self.lines.append("  i = k")
        else:
            found = _INNER if loops else _OUTER
            self.lines.append(f"{indent}for {name} in {self.rng.choice(found)}:")
        for _ in range(self.rng.randint(1, 3)):
            self._block(f"{indent}  ", (*loops, name))

    def _access(self, indent: str, loops: tuple[str, ...]) -> None:
        array = "z" if "z =" in " ".join(self.lines[:4]) and self.rng.random() < 0.2 else "y"
        index = self.rng.choice(_LINE if self.axes == 1 else _TABLE)
        if len(loops) == 2 and self.axes == 1 and self.rng.random() < 0.5:
            index = index.replace("i", "j")
        if array == "z":
            index = "0"
        part = f"{array}[{index}]"
        self.lines.append(
            indent + self.rng.choice((f"t = {part}", f"{part} = a", f"{part} += a", f"{part} = a"))
        )


def runs(text: str, axes: int) -> Iterator[list[Met]]:
    """Yield what a program meets, for arrays of some sizes."""
    code = compile(text, "<drawn>", "exec")
    for size in range(6):
        for s in (-2, 1, size, 3):
            log: list[Met] = []
            places = np.arange(size**axes).reshape((size,) * axes)
            given = {"x": places, "s": s, "a": 1, "c": size % 2, "i": 0, "j": 0, "k": 0}
            given["zeros_like"] = given["copied"] = lambda x, log=log: Watched(x, log)
            with suppress(IndexError):  # what it has met until then counts
                exec(code, given)
            yield log
