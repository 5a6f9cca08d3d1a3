"""Writes the page of what runs where, by running each derivative on each kind of arrays.

``python -m tests.targets.where`` writes ``docs/guides/where.md``. A column whose library is not
installed stays as it is on the page; CuPy is the double.
"""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.doubles.cupy_module import installed
from tests.targets.blocks import computed, in_blocks
from tests.targets.on_cupy import back, there

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "where.md"
HEAD = """# What runs where

Each entry was run by a test: one small smooth function of arrays with axes, at arrays of each kind,
compared with the same at arrays of NumPy, with `fallback="error"`. "yes" is by source and right; a
code is the [error](../errors/index.md) that refuses it. This page is written by `make pages`.

CuPy is a double with its restrictions; [its guide](cupy.md) says what ran on a device. "Numba" is
`backend="numba"` at arrays of NumPy; what has no such option has a dash.

"""
TAIL = """
One right entry says nothing of all programs: how many of the corpus run is said in the guides on
[CuPy](cupy.md) and [Dask](dask.md), and what is compiled or written for a batch in those on
[compiled loops](compiled-loops.md) and [many examples](many-examples.md). `sg.distributed` runs
texts for NumPy in [workers](many-workers.md).
"""
RNG = np.random.default_rng(0)
X, X_DOT, W = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=3)
ADJOINT = RNG.normal(size=3)


def number(x, w):
    return np.sum(np.tanh(x) * w) + np.mean(x * x)


def vector(x, w):
    return np.sum(np.sin(x) * w, axis=0)


def of_one(x):
    return np.sum(x * np.sin(x))


def slope_squared(x):
    return np.sum(sg.grad(of_one)(x) ** 2)


Move = Callable[[Any], Any]
ROWS: dict[str, Callable[..., Any]] = {
    "`grad`": lambda to, **o: sg.grad(number, **o)(to(X), to(W)),
    "`value_and_grad`": lambda to, **o: sg.value_and_grad(number, (0, 1), **o)(to(X), to(W)),
    "`vjp`": lambda to, **o: sg.vjp(vector, to(X), to(W), **o)[1](to(ADJOINT)),
    "`jvp`": lambda to, **o: sg.jvp(vector, (to(X), to(W)), (to(X_DOT), None), **o),
    "`hvp`": lambda to, **o: sg.hvp(of_one, (to(X),), (to(X_DOT),), **o),
    "`jacobian`": lambda to, **o: sg.jacobian(vector, 1, **o)(to(X), to(W)),
    "`jacfwd`": lambda to, **o: sg.jacfwd(vector, 1, **o)(to(X), to(W)),
    "`jacrev`": lambda to, **o: sg.jacrev(vector, 1, **o)(to(X), to(W)),
    "`hessian`": lambda to, **o: sg.hessian(of_one, **o)(to(W)),
    "`grad` of a function that takes one itself": lambda to, **o: sg.grad(slope_squared, **o)(
        to(W)
    ),
    "`vmap` of a function": lambda to, **o: sg.vmap(of_one, **_without(o))(to(X)),
    "`vmap` of a gradient": lambda to, **o: sg.vmap(sg.grad(of_one), **_without(o))(to(X)),
    '`backend="tape"`': lambda to, **o: sg.grad(number, backend=_tape(o))(to(X), to(W)),
    "`sg.tensor`": lambda to, **o: _plainly(o) or sg.tensor(to(W)).numpy(),
    "`verify=True`": lambda to, **o: sg.grad(number, verify=True, **o)(to(X), to(W)),
    "`debug_nans=True`": lambda to, **o: sg.grad(number, debug_nans=True, **o)(to(X), to(W)),
}


class _NoOptionError(Exception):
    """There is no such option."""


def _without(options: dict[str, Any]) -> dict[str, Any]:
    _plainly(options)
    return options


def _tape(options: dict[str, Any]) -> Any:
    _plainly(options)
    return "tape"


def _plainly(options: dict[str, Any]) -> None:
    if "backend" in options:
        raise _NoOptionError


@dataclass(frozen=True, slots=True)
class Column:
    """A kind of arrays: how they are made, and how numbers are had from them."""

    title: str
    to: Move
    back: Move
    options: dict[str, Any]

    def cell(self, row: str) -> str:
        """Return what a derivative gives there."""
        wanted = ROWS[row](np.copy, fallback="error")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self.back(ROWS[row](self.to, fallback="error", **self.options))
        except _NoOptionError:
            return "—"
        except sg.SrcgradError as error:
            return str(error.code)
        except (TypeError, ValueError) as error:
            return f"raises {type(error).__name__}"
        assert not differs(found, wanted), (self.title, row)
        return "yes"


@contextlib.contextmanager
def columns() -> Iterator[list[Column]]:
    """Yield the columns whose libraries are here."""
    found = [Column("NumPy", np.copy, lambda value: value, {})]
    if find_spec("numba"):
        found.append(Column("Numba", np.copy, lambda value: value, {"backend": "numba"}))
    if find_spec("dask"):
        found.append(Column("Dask", in_blocks, computed, {}))
    with installed() as cupy:
        found.append(
            Column("CuPy", lambda value: there(value, cupy), lambda value: back(value, cupy), {})
        )
        yield found


def table(page: str) -> dict[str, dict[str, str]]:
    """Return the cells of a page by row and column."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head = cells[0][1:] if cells else []
    return {row[0]: dict(zip(head, row[1:], strict=True)) for row in cells[2:]}


def measured() -> dict[str, dict[str, str]]:
    """Return the cells that can be had here, by row and column."""
    with columns() as found:
        return {row: {column.title: column.cell(row) for column in found} for row in ROWS}


def written(known: str) -> str:
    """Return the page, with what cannot be run here as it is known."""
    before, now = table(known), measured()
    titles = ("NumPy", "Numba", "CuPy", "Dask")
    lines = ["| | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for row, cells in now.items():
        shown = [cells.get(t, before.get(row, {}).get(t, "not run")) for t in titles]
        lines.append(f"| {row} | " + " | ".join(map(_linked, shown)) + " |")
    return HEAD + "\n".join(lines) + "\n" + TAIL


def _linked(cell: str) -> str:
    return re.sub(r"^(SG\d+)$", r"[\1](../errors/\1.md)", cell)


def main() -> int:
    """Write the page."""
    known = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(written(known), encoding="utf-8")
    print(f"written: {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
