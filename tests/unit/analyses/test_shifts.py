"""Extremes that are but taken off: which are found, and that no result depends on those."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from srcgrad.analyses.shifts import taken_off
from srcgrad.compiler.doctesting import program_of

X = np.random.default_rng(0).normal(size=(3, 4))
SOFTMAX = "p = np.exp(x - m)\nreturn p / np.sum(p, axis=1, keepdims=True)"
ROWS = "m = np.max(x, axis=1, keepdims=True)\n"
FOUND = {
    "softmax of rows": ROWS + SOFTMAX,
    "by a negative axis": "m = np.max(x, axis=-1, keepdims=True)\n" + SOFTMAX,
    "by position": "m = np.max(x, 1, keepdims=True)\n" + SOFTMAX,
    "by the least": "m = np.min(x, axis=1, keepdims=True)\n" + SOFTMAX,
    "of all": "m = np.max(x)\np = np.exp(x - m)\nreturn p / np.sum(p)",
    "of columns": "m = np.max(x, axis=0)\np = np.exp(x - m)\nreturn p / np.sum(p, axis=0)",
    "logarithms": ROWS + "s = np.sum(np.exp(x - m), axis=1, keepdims=True)\nreturn np.log(s) + m",
    "a mean": ROWS + "s = np.mean(np.exp(x - m), axis=1, keepdims=True)\nreturn m + np.log(s)",
    "with an axis put in": (
        "m = np.max(x, axis=1)\np = np.exp(x - m[:, None])\n"
        "return p / np.sum(p, axis=1)[:, np.newaxis]"
    ),
    "under another name": ROWS + "n = m\np = np.exp(x - n)\nreturn p / np.sum(p, axis=1)[:, None]",
    "the opposite": ROWS + "p = np.exp(-(m - x))\nreturn p / np.sum(p, axis=1, keepdims=True)",
    "added and taken off": ROWS + "a = x - m\nreturn a + m",
    "of a difference": ROWS + "a = x - m\nb = 2.0 - m\nreturn a - b",
}
NOT_FOUND = {
    "returned": ROWS + "return m",
    "taken off alone": ROWS + "return x - m",
    "added twice": ROWS + "a = x + m\nreturn a + m",
    "exponentials alone": ROWS + "return np.exp(x - m)",
    "their product": ROWS + "p = np.exp(x - m)\nreturn p * np.sum(p, axis=1, keepdims=True)",
    "of other axes": "m = np.max(x, axis=0)\np = np.exp(x - m)\nreturn p / np.sum(p)",
    "sums over its axis": (
        "m = np.max(x, axis=0, keepdims=True)\np = np.exp(x - m)\n"
        "return p / np.sum(p, axis=1, keepdims=True)"
    ),
    "squares": ROWS + "a = x - m\nb = a * a\nreturn b - a",
    "of a sum of two": ROWS + "a = x - m\nb = np.exp(a)\nreturn a / b",
    "in a branch": ROWS + "a = x - m\nif n > 0:\n    a = a * a\nreturn a + m",
    "of several axes": ("m = np.max(x, axis=(0, 1))\np = np.exp(x - m)\nreturn p / np.sum(p)"),
    "a sum of a part of it": ROWS + "p = np.exp(x - m)\nreturn p * np.sum(p[0])",
    "a sum of what is curved": ROWS + "p = np.exp(x - m)\nreturn p / np.sum(np.sin(p))",
    "a sum of what is still added": ROWS + "a = x - m\nreturn np.exp(a) / np.sum(a)",
    "as a start": "m = np.max(x)\nreturn np.sum(x, initial=m)",
    "sums of what is added": ROWS + "a = x - m\nb = 2.0 * x - m\nreturn np.sum(a) / np.sum(b)",
    "along its rows": ROWS + "a = x - m\nreturn np.sum(a, axis=1) / np.sum(2.0 * x - m, axis=1)",
    **{
        f"{one} and {other} of it": ROWS + f"a = x{rows} - m[{one}]\nreturn a + m[{other}]"
        for one, other, rows in (
            ("1:", ":-1", "[1:]"),
            (":-1", "1:", "[1:]"),
            ("1:3", "0:2", "[1:]"),
            ("::-1", ":", ""),
            (":", "::-1", ""),
        )
    },
    "with a start": "m = np.max(x, axis=1, keepdims=True, initial=0.0)\n" + SOFTMAX,
}


def _lines(text: str) -> str:
    return textwrap.indent(text, "    ")


def _moves(text: str) -> bool:
    """Say whether the result moves when the extreme is moved by itself."""
    results = []
    for shift in (0.0, 1e-3):
        scope = {"np": np}
        first, _, rest = text.partition("\n")
        exec(f"def f(x, n):\n{_lines(first)}\n    m = m + {shift}\n{_lines(rest)}", scope)
        results.append(scope["f"](X, 1))
    return not np.allclose(*results, rtol=1e-9, atol=1e-12)


def _found(text: str) -> set[str]:
    program = program_of(f"\ndef f(x, n):\n{_lines(text)}\n")
    ranks = {"x": 2, **dict.fromkeys(("m", "n"), np.ndim(_extreme(text)))}
    known = {"a": 2, "b": 2, "p": 2}

    def rank(node: object) -> int | None:
        name = getattr(node, "id", "")
        if not name:
            return 0
        return ranks.get(name, known.get(name, _rank_of(program, name)))

    return set(taken_off(program, rank, ()))


def _extreme(text: str) -> object:
    scope = {"np": np, "x": X}
    exec(text.partition("\n")[0], scope)
    return scope["m"]


def _rank_of(program: object, name: str) -> int:
    """Return the axes of a name of the normal form, by running that as far as it binds it."""
    from srcgrad.compiler.doctesting import text

    scope = {"np": np, "x": X, "n": 1}
    for statement in program.body:  # type: ignore[attr-defined]
        if name in scope or text([statement]).startswith("return"):
            break
        exec(text([statement]), scope)
    return np.ndim(scope[name])


@pytest.mark.parametrize("case", FOUND)
def test_extremes_that_are_taken_off_are_found(case: str) -> None:
    assert not _moves(FOUND[case])
    assert _found(FOUND[case]) == {"m"}


@pytest.mark.parametrize("case", NOT_FOUND)
def test_extremes_that_matter_are_not(case: str) -> None:
    assert _found(NOT_FOUND[case]) == set()


def test_those_of_written_memory_are_not() -> None:
    program = program_of(f"\ndef f(x):\n{_lines(FOUND['softmax of rows'])}\n")
    assert taken_off(program, lambda node: 2, ()) == {"m"}
    assert taken_off(program, lambda node: 2, ("m",)) == set()
    assert taken_off(program, lambda node: None, ()) == set()
