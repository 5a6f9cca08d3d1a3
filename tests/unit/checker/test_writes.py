"""Checks that what writes into memory is read entry by entry, whatever lanes say of it.

The wrong texts are those that a compiler makes which takes a copy for a view, or a view for a copy,
or does not see a write. Lanes took the same for the same, so that they proved them.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad.checker.arithmetic import pair_of
from srcgrad.checker.check import Checker, Subject
from srcgrad.checker.exact import ExactChecker
from srcgrad.checker.lanes import Lane
from srcgrad.checker.library import outside
from srcgrad.checker.runs import Now, Run
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import witness_of
from srcgrad.ir import gast
from srcgrad.ir.scopes import scope_of

HEAD = "import numpy as np\nfrom srcgrad.runtime import copied, zeros_like\ndef gradient(x):\n"


def numbers_unpacked(x: Any) -> Any:
    y = 1.0 * x
    a, _, _, d = y
    y[0] = 0.5
    return d * a + y[1]


def parts_updated(x: Any) -> Any:
    y = 1.0 * x
    parts = np.split(y, 2)
    parts[0] /= 2.0
    return np.sum(y * x)


def entries_of_a_list_of_parts(x: Any) -> Any:
    y = 1.0 * x
    parts = np.split(y, 2)
    parts[0] = 3.0 * parts[1]
    return np.sum(parts[0] * parts[0]) + np.sum(y)


def numbers_of_a_part(x: Any) -> Any:
    y = 1.0 * x
    first, _ = np.split(y, 2)
    number = first[0]
    y *= 0.9
    return np.sum(y) * number


def written_in_a_try(x: Any) -> Any:
    held = (2.0, 1.0 * x)
    try:
        held[1][:] /= 2.0
        held[2][:] /= 2.0
    except IndexError:
        pass
    return np.sum(held[1] ** 2)


def rounded(x: Any) -> Any:
    y = 2.0 * x
    np.round(y, 1, out=y)
    return np.sum(y * x)


def compared(x: Any) -> Any:
    y = 2.0 * x
    np.floor(y[1:], y[1:])
    return np.sum(y * x)


def double_precision(x: Any) -> Any:
    y = 1.0 * x
    z = np.float64(y)
    z *= 2.0
    return np.sum(y * x)


def named_twice(x: Any) -> Any:
    y = 1.0 * x
    y[[0, 0]] += 2.0 * x[-1]
    return np.sum(y * y)


TEXTS: list[tuple[Callable[[Any], Any], str, str]] = [
    (
        double_precision,
        """
        y = 1.0 * x
        z = np.float64(y)
        z *= 2.0
        return y + 1.0 * x
        """,
        """
        y = 1.0 * x
        z = np.float64(y)
        z *= 2.0
        return y + 2.0 * x
        """,
    ),
    (
        numbers_unpacked,
        """
        y = 1.0 * x
        grad_y = zeros_like(y)
        a, _, _, d = y
        grad_a, grad__, grad___2, grad_d = grad_y[0:1], 0, 0, grad_y[3:4]
        y[0] = 0.5
        grad_y[1] += 1.0
        grad_d += a
        grad_a += d
        grad_y[0] = 0.0
        return grad_y * 1.0
        """,
        """
        y = 1.0 * x
        a, _, _, d = y
        y[0] = 0.5
        grad_y = zeros_like(y)
        grad_y[1] += 1.0
        grad_y[0] = 0.0
        grad_y[3] += a
        grad_y[0] += d
        return grad_y * 1.0
        """,
    ),
    (
        parts_updated,
        """
        y = 1.0 * x
        parts = np.split(y, 2)
        parts[0] = parts[0] / 2.0
        return y + x
        """,
        """
        y = 1.0 * x
        grad_y = zeros_like(y)
        parts = np.split(y, 2)
        parts[0] /= 2.0
        grad_y += x
        np.split(grad_y, 2)[0][...] /= 2.0
        return y + grad_y
        """,
    ),
    (
        entries_of_a_list_of_parts,
        """
        y = 1.0 * x
        grad_y = zeros_like(y)
        parts = np.split(y, 2)
        grad_parts = np.split(grad_y, 2)
        parts[0] = 3.0 * parts[1]
        grad_y += 1.0
        grad_parts[0] += 2.0 * parts[0]
        grad_new = copied(grad_parts[0])
        grad_parts[0][...] = 0.0
        grad_parts[1] += 3.0 * grad_new
        return grad_y * 1.0
        """,
        """
        y = 1.0 * x
        parts = np.split(y, 2)
        parts[0] = 3.0 * parts[1]
        grad_y = zeros_like(y)
        grad_y += 1.0
        np.split(grad_y, 2)[1][...] += 3.0 * (2.0 * parts[0])
        return grad_y
        """,
    ),
    (
        numbers_of_a_part,
        """
        y = 1.0 * x
        grad_y = zeros_like(y)
        first, _ = np.split(y, 2)
        number = first[0]
        y *= 0.9
        grad_y += number
        grad_y[0] += np.sum(y)
        grad_y *= 0.9
        return grad_y * 1.0
        """,
        """
        y = 1.0 * x
        grad_y = zeros_like(y)
        first, _ = np.split(y, 2)
        number = first[0]
        y *= 0.9
        grad_y += number
        grad_y *= 0.9
        grad_y[0] += np.sum(y)
        return grad_y * 1.0
        """,
    ),
    (
        written_in_a_try,
        """
        product = 1.0 * x
        held = 2.0, product
        failed = False
        try:
            held[1][:] = held[1][:] / 2.0
            held[2][:] = held[2][:] / 2.0
        except IndexError:
            failed = True
        grad_product = 2.0 * held[1]
        if not failed:
            grad_product = grad_product / 2.0
        return grad_product * 1.0
        """,
        """
        product = 1.0 * x
        held = 2.0, product
        try:
            held[1][:] = held[1][:] / 2.0
            held[2][:] = held[2][:] / 2.0
        except IndexError:
            pass
        return 2.0 * held[1] / 2.0
        """,
    ),
    (
        rounded,
        "    y = 2.0 * x\n    np.round(y, 1, out=y)\n    return y + x * 2.0",
        "    y = 2.0 * x\n    np.round(y, 1, out=y)\n    return y * 1.0",
    ),
    (
        compared,
        "    y = 2.0 * x\n    np.floor(y[1:], y[1:])\n    return y + x * 2.0",
        """
        y = 2.0 * x
        np.floor(y[1:], y[1:])
        grad_x = y * 1.0
        grad_x[0] += 2.0 * x[0]
        return grad_x
        """,
    ),
    (
        named_twice,
        """
        y = 1.0 * x
        y[[0, 0]] += 2.0 * x[-1]
        grad_y = 2.0 * y
        grad_x = grad_y * 1.0
        grad_x[-1] += 2.0 * np.sum(grad_y[[0, 0]])
        return grad_x
        """,
        """
        y = 1.0 * x
        y[[0, 0]] += 2.0 * x[-1]
        grad_y = 2.0 * y
        grad_x = grad_y * 1.0
        grad_x[-1] += 2.0 * grad_y[0]
        return grad_x
        """,
    ),
]


@pytest.fixture
def lanes_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checker, "_along_paths", lambda _: Verdict("proven", runs=1))


@pytest.mark.usefixtures("lanes_agree")
@pytest.mark.parametrize(
    ("function", "wrong", "right"), TEXTS, ids=[item[0].__name__ for item in TEXTS]
)
def test_texts_that_take_memory_for_another_are_doubted(
    function: Callable[[Any], Any], wrong: str, right: str
) -> None:
    assert _verdict(function, wrong).kind == "wrong"
    assert _verdict(function, right).kind == "proven"


@pytest.mark.usefixtures("lanes_agree")
def test_the_right_texts_say_what_differences_say() -> None:
    x = np.array([0.31, -0.42, 0.53, 0.64])
    for function, _, right in TEXTS:
        space: dict[str, Any] = {}
        exec(_text(right), space)
        found = space["gradient"](x)
        ways = [(function(x + way) - function(x - way)) / 2e-6 for way in 1e-6 * np.eye(4)]
        assert np.allclose(found, ways, 1e-5, 1e-6), function.__name__


def _verdict(function: Callable[[Any], Any], body: str) -> Verdict:
    tree = gast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    scope = scope_of(function, tree, with_imports=True)
    subject = Subject(
        "gradient", witness_of(tree.body), scope, parameters=["x"], keyword_only=[], starred=[],
        inputs=["x"], outer=["x"], outputs=1, returns_tuple=False, ranks={"x": 1},
    )  # fmt: skip
    return ExactChecker({}, [], subject).verdict(_text(body))


def _text(body: str) -> str:
    return HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")


# -- what lanes know of `out=`


@pytest.mark.parametrize(
    "call",
    [
        lambda np, y: np.floor(y, out=y),
        lambda np, y: np.floor(y, y),
        lambda np, y: np.round(y, 1, y),
        lambda np, y: np.round(y, decimals=1, out=y),
        lambda np, y: np.greater(y, 1.0, out=(y,)),
        lambda np, y: np.isfinite(y, out=y, where=y > 0.0),
        lambda np, y: np.einsum("i->i", y * 2.0, out=y),
        lambda np, y: y.round(1, y),
    ],
)
def test_lanes_follow_what_is_written_by_out(call: Callable[[Any, Any], Any]) -> None:
    former, Now.run = Now.run, Run(0)
    try:
        y = Lane((123, 456), 7, dims=(None,))
        assert call(outside(np), y) is y
        assert pair_of(y) != (123, 456)
    finally:
        Now.run = former
