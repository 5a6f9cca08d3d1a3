"""Drawn sums mean the same when their terms are collected, and take no more operations."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from srcgrad.codegen.printer import to_source
from srcgrad.compiler.doctesting import program_of
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.optimizations.collect_terms import TermCollection
from srcgrad.optimizations.purity import Purity

FLOATS = ("grad_a", "b", "c", "row", "column", "number")
OTHERS = ("truths", "bytes_")
VALUES: dict[str, Any] = {
    "grad_a": np.linspace(0.5, 2.0, 12).reshape(3, 4),
    "b": np.linspace(-1.0, 1.5, 12).reshape(3, 4),
    "c": np.linspace(2.0, 0.25, 12).reshape(3, 4),
    "row": np.array([0.5, -1.5, 2.0, 3.0]),
    "column": np.array([[1.0], [-2.0], [0.75]]),
    "number": 1.25,
    "truths": np.arange(12).reshape(3, 4) % 3 == 0,
    "bytes_": np.full((3, 4), 100, np.int8),
    "np": np,
}


def collection() -> TermCollection:
    """Return a collection that knows which of the names hold floats."""
    purity = Purity(program_of("def f(x): return x").reader, frozenset())
    return TermCollection(purity, FLOATS.__contains__)


def factor(draw: random.Random) -> str:
    """Return one factor of a term."""
    kind = draw.random()
    if kind < 0.2:
        return draw.choice(["0.5", "2.0", "2", "0.1", "3"])
    if kind < 0.3:
        return f"np.cos({draw.choice(FLOATS)})"
    if kind < 0.35:
        return f"({expression(draw, 2)})"
    if kind < 0.4:
        return f"({factor(draw)} * -{draw.choice(FLOATS)})"
    return draw.choice([*FLOATS, "grad_a", "grad_a", *OTHERS])


def expression(draw: random.Random, most: int = 5) -> str:
    """Return a sum of products and quotients."""
    text = ""
    for i in range(draw.randint(1, most)):
        sign = draw.choice(["-", ""]) if i == 0 else draw.choice([" + ", " - "])
        factors = [factor(draw) for _ in range(draw.randint(1, 4))]
        product = factors[0]
        for item in factors[1:]:
            divides = draw.random() < 0.2 and item.split("(")[0] in (*FLOATS, "0.5", "2.0", "2")
            product += f" / {item}" if divides else f" * {item}"
        text += sign + product
    return text


def operations(text: str) -> int:
    """Return how many operations an expression takes, but for those on literals."""
    tree = gast.parse(text)
    literals = (gast.Constant,)
    return sum(
        not (isinstance(item.left, literals) and isinstance(item.right, literals))
        for item in found_in(tree, gast.BinOp)
    )


@pytest.mark.parametrize("seed", range(5))
def test_collected_sums_mean_the_same(seed: int) -> None:
    draw = random.Random(seed)
    changed = 0
    for _ in range(60):
        text = expression(draw)
        if text.startswith("-") and text.split(" ")[0][1:] in OTHERS:
            continue  # NumPy has no minus of truths
        body = collection().run(gast.parse(f"grad_x = {text}").body)
        found = to_source(body).removeprefix("grad_x = ")
        changed += found.replace(" ", "") != text.replace(" ", "")
        with np.errstate(all="ignore"):
            try:
                before = eval(text, dict(VALUES))
            except TypeError:  # a difference of truths
                continue
            after = eval(found, dict(VALUES))
        np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9, err_msg=f"{text}\n{found}")
        assert np.asarray(after).dtype == np.asarray(before).dtype, (text, found)
        assert operations(found) <= operations(text), (text, found)
    assert changed > 10


def test_sums_of_truths_and_of_small_integers_stay_as_they_are() -> None:
    for text in ("grad_a * truths + grad_a * truths * truths", "grad_a * bytes_ + grad_a * truths"):
        assert to_source(collection().run(gast.parse(f"grad_x = {text}").body)).endswith(text)
