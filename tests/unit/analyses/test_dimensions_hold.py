"""The axes that are said of calls of all forms are those of what NumPy returns."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.knowledge import Knowledge
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import program_of
from srcgrad.ir.build import load
from tests.unit.analyses.running import size

SHAPES = {"s": (), "x": (4,), "y": (4,), "m": (3, 4), "q": (4, 4), "t": (2, 3, 4)}
ATOMS = (*SHAPES, "m.T", "x[:, None]", "2.0")
_AXES = ("", ", 0", ", 1", ", -1", ", axis=0", ", axis=-1", ", axis=1", ", axis=2", ", axis=-2")
_PARTS = ("s, s", "s, 2.0", "2.0, s, s", "x, y", "x, y, x", "m, m", "m, q", "m.T, q", "t, t", "x")
_PARTS += ("x[1:], y", "m[:, :2], m", "m[:1], m", "x[:, None], m.T", "x[None], m", "t[:1], t", "t")
_REDUCED = ("sum", "mean", "max", "argmax", "prod", "std", "linalg.norm", "all")
_LENGTHS = ("n", "(n,)", "[n, 2]", "(2, n, 1)", "x.shape", "m.shape", "len(x)", "(n + 1, 3)", "()")
_LENGTHS += ("t.shape[1]", "(len(x), m.shape[0])", "m.shape[::-1]", "(m.shape[1], -1)", "n - 1")
_INDICES = ("0", "-1", "1:", ":-1", "::2", "::-1", "...", "None", ":, None", "1:, 0", ":2, 1:3")
_INDICES += (
    "n",
    "n:",
    ":n",
    "n - 1",
    "0, 1",
    ":, 0",
    "None, :, 1",
    "..., 0",
    "[0, 1]",
    ":, [0, 1]",
)
_INDICES += (
    "[0, 1], [1, 2]",
    "0, [1, 2]",
    "o",
    "o, o",
    ":, o",
    "o, 0",
    "0, o",
    ":, o, 0",
    "..., o",
    "0, ..., 0",
    "None, 0",
    "1:n",
    "n:n",
    "9:",
    "-2:",
)
_OF_MATRICES = ("det", "inv", "cholesky", "pinv", "eigvalsh")
_BY_LETTERS = ("diag", "trace", "diagonal", "diff", "ravel", "pad", "tile", "repeat", "gradient")
_PAIRED = ("inner", "convolve", "polyval", "append", "matmul", "dot")

CALLS = {
    "joined": [
        f"np.{name}(({parts},){options})"
        for name, parts, options in itertools.product(
            ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"), _PARTS, _AXES
        )
        if name in ("concatenate", "stack") or not options
    ],
    "displayed": [
        *(f"np.array([{parts}])" for parts in _PARTS),
        *(f"np.array([[{parts}], [{parts}]])" for parts in _PARTS),
        *("np.array([x, s])", "np.array(((s, 1.0), (2.0, s)))", "np.array([])", "np.array([[]])"),
        *("np.array(x)", "np.array(m, copy=True)", "np.array([m, m], dtype=float)"),
    ],
    "reduced": [
        f"np.{name}({atom}{options}{keeps})"
        for name, atom, options, keeps in itertools.product(
            _REDUCED, ATOMS, (*_AXES, ", axis=(0, 1)", ", axis=None"), ("", ", keepdims=True")
        )
        if "norm" not in name or not options.startswith((", 0", ", 1", ", -1"))
    ],
    "along an axis": [
        f"np.{name}({atom}{options})"
        for name, atom, options in itertools.product(
            ("cumsum", "sort", "argsort", "flip", "diff", "cumprod"), ATOMS, _AXES
        )
    ],
    "made": [
        *(
            f"np.{name}({lengths}{value})"
            for (name, value), lengths in itertools.product(
                (("zeros", ""), ("ones", ""), ("empty", ", float"), ("full", ", 2.0")), _LENGTHS
            )
        ),
        *(f"np.{name}({n})" for name in ("eye", "identity") for n in ("n", "len(x)", "3", "n + 1")),
        *("np.eye(n, 2)", "np.eye(2, n)", "np.eye(n, M=3)", "np.eye(3, k=1)", "np.eye(n, n, 1)"),
        *("np.eye(n, dtype=float)", "np.identity(n, float)", "np.eye(3, 5)", "np.eye(n, None, 1)"),
        *("np.arange(n)", "np.arange(5)", "np.arange(len(x))", "np.arange(1, n)", "np.arange(2.5)"),
        *("np.arange(0, n, 2)", "np.arange(n + 1)", "np.arange(n, dtype=float)", "np.arange(-2)"),
        *("np.zeros_like(m)", "np.ones_like(t)", "np.full_like(x, 2.0)", "np.empty_like(m)"),
        *("np.zeros_like(m, shape=(3,))", "np.full_like(x, 1.0, float, 'C', True, (2, 2))"),
        *("np.linspace(0.0, s, 3)", "np.zeros(shape=(n, 2))", "np.full(shape=3, fill_value=s)"),
    ],
    "arranged": [
        *(
            f"np.{name}({atom}{options})"
            for name, atom, options in itertools.product(
                ("tril", "transpose", "ravel", "copy", "squeeze", "atleast_1d", "round", "real"),
                ATOMS,
                ("", ", 1", ", axis=0"),
            )
        ),
        *(f"np.reshape({a}, {shape})" for a in ("x", "m", "t") for shape in _LENGTHS),
        *(f"np.reshape({a}, {n})" for a in ("x", "m", "t") for n in ("-1", "(-1,)", "(2, -1)")),
        *(f"m.reshape({n})" for n in ("-1", "2, 6", "(2, 6)", "n, 4", "3 * 4")),
        *(
            f"np.{f}({a}, {b})"
            for f in ("outer", "kron")
            for a, b in itertools.product(ATOMS, ATOMS)
        ),
        *(
            f"np.{f}.outer({a}, {b})"
            for f, a, b in itertools.product(("add", "multiply"), ATOMS, ATOMS)
        ),
        *("np.roll(x, 1)", "np.roll(m, 1, 0)", "np.tile(x, 2)", "np.repeat(x, 2)", "t.T", "m.T.T"),
        *("np.transpose(t, (1, 0, 2))", "np.swapaxes(m, 0, 1)", "np.expand_dims(x, 0)"),
        *("np.where(x > 0, x, 1.0)", "np.where(m > 0, x, y)", "np.clip(m, 0, x)", "np.diag(x)"),
        *("max(s, 2.0)", "min(s, n)", "max(s, s)", "x if n > 2 else y", "s if n > 2 else 1.0"),
    ],
    "of matrices": [
        *(f"np.linalg.{f}({a})" for f in _OF_MATRICES for a in ("q", "m", "t", "t @ t.T", "x")),
        *(f"np.linalg.{f}({a})[0]" for f in ("slogdet", "eigh", "qr", "svd") for a in ("q", "m")),
        *(f"np.linalg.solve({a}, {b})" for a in ("q", "q * s", "t") for b in ATOMS),
        *(f"np.{f}({a}{o})" for f in _BY_LETTERS for a in ATOMS for o in ("", ", 1", ", axis=0")),
        *(f"np.{f}({a}, {b})" for f in _PAIRED for a in ATOMS for b in ATOMS),
        *("np.interp(s, x, y)", "np.interp(m, x, y)", "np.interp(x, y, y)", "np.pad(x, (1, 2))"),
        *("np.pad(m, 1, 'edge')", "np.convolve(x, y, 'same')", "np.trapezoid(x, dx=0.5)"),
        *("np.linspace(s, 1.0, n)", "np.linspace(x, y, n)", "np.logspace(0.0, s, n)"),
        *("np.linspace(0.0, s, n, endpoint=False)", "np.transpose(t, (2, 0, 1))"),
        *("np.einsum('ij,kj->ik', m, m)", "np.einsum('ij->', m)", "np.einsum('ii->i', q)"),
        *("np.einsum('ij,ij->ij', x[:, None], q)", "np.einsum('ij,j->ij', m, x)"),
        *("np.einsum('...j,j->...', t, x)", "np.einsum('ij,j', m, x)", "m.flatten()"),
        *("np.asarray(x)", "np.asarray(s)", "np.array(m, copy=True)", "np.array([[s, s], [s, n]])"),
    ],
    "met": [
        f"{a} {sign} {b}" for a, sign, b in itertools.product(ATOMS, ("*", "+", "@", ">"), ATOMS)
    ],
    "parts": [f"{a}[{index}]" for a in ("x", "m", "t", "m.T") for index in _INDICES],
}
KNOWN = {
    "joined": (177, 385, 186),
    "displayed": (15, 27, 24),
    "reduced": (778, 1041, 1104),
    "along an axis": (276, 511, 335),
    "made": (74, 108, 87),
    "arranged": (361, 600, 456),
    "of matrices": (208, 200, 453),
    "met": (209, 377, 216),
    "parts": (91, 159, 112),
}
"""Of how many results the axes are known, how many lengths, and how many results there are.

Another number than before says that more is known than was, or less.
"""


def _arguments(count: int) -> dict[str, Any]:
    rng = np.random.default_rng(count)
    shapes = {name: tuple(n + count for n in shape) for name, shape in SHAPES.items()}
    return {name: rng.normal(size=shape) if shape else 0.4 for name, shape in shapes.items()}


def _returned(call: str, args: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the shape of what a call gives; None if it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.shape(eval(call, {"np": np, "o": np.argsort(args["x"])[:2]}, args))
    except (TypeError, ValueError, IndexError):
        return None


def _said(calls: list[str], args: dict[str, Any]) -> tuple[list[Any], tuple[str, ...]]:
    """Return what is said of the results of calls, and what it takes for granted."""
    lines = [f"    a{i} = {call}" for i, call in enumerate(calls)]
    total = " + ".join(f"np.sum(a{i})" for i in range(len(calls)))
    head = "def f(s, x, y, m, q, t, n):\n    o = np.argsort(x)[:2]\n"
    program = program_of(f"\n{head}" + "\n".join(lines) + f"\n    return {total}\n", *SHAPES)
    program.given["n"] = "int"
    integers = Integers(program)
    seen = {name: np.shape(value) for name, value in args.items() if name != "n"}
    knowledge = Knowledge({**seen, "n": args["n"]})
    shapes = Shapes(program, integers)
    dimensions = Dimensions(program, integers, shapes, assume=True, knowledge=knowledge)
    return [dimensions.of(load(f"a{i}")) for i in range(len(calls))], dimensions.conditions


@pytest.mark.parametrize("family", CALLS)
def test_axes_are_those_of_what_is_returned(family: str) -> None:
    args = {**_arguments(0), "n": 3}
    calls = [call for call in CALLS[family] if _returned(call, args) is not None]
    known = [0, 0]
    for start in range(0, len(calls), 40):
        some = calls[start : start + 40]
        said, conditions = _said(some, args)
        for there in (args, {**_arguments(0), "n": 2}, {**_arguments(1), "n": 4}):
            if not all(eval(line, {"np": np}, there) for line in conditions):
                continue
            for call, vector in zip(some, said, strict=True):
                shape = _returned(call, there)
                if vector is not None and shape is not None:
                    assert len(vector) == len(shape), (call, vector, shape)
                    sizes = [size(length, there) for length in vector]
                    pairs = zip(sizes, shape, strict=True)
                    assert all(n in (None, m) for n, m in pairs), (call, vector, shape)
        vectors = [vector for vector in said if vector is not None]
        known[0] += len(vectors)
        known[1] += sum(length is not None for vector in vectors for length in vector)
    assert (*known, len(calls)) == KNOWN[family]
