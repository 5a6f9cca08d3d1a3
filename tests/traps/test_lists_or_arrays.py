"""Names that are bound to a list on one path and to an array on another, and returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def rows_or_a_copy(z, n, m):
    if m == 7:
        return z.copy()
    return np.array(n * [z])


def rows_or_itself(z, n, m):
    return z if m == 7 else np.array(n * [z])


def rows_or_some(z, n, m):
    out = z[:1]
    if m < 7:
        out = np.array(n * [z])
    return out


def appended_rows_or_itself(z, n, m):
    if m == 7:
        return z
    rows = []
    for _ in range(n):
        rows.append(z)
        m += len(rows)
    return np.array(rows)


def after_two_names(z, n, m):
    first = z if m == 7 else n * [z]
    second = first if m < 8 else np.array(z)
    return second[0]


def turned_into_an_array_late(z, n, m):
    out = z
    for _ in range(n):
        if m == 7:
            out = np.array(out) * 2
    return np.array([out, z])


PROGRAMS = [
    *(rows_or_a_copy, rows_or_itself, rows_or_some, appended_rows_or_itself),
    *(after_two_names, turned_into_an_array_late),
]


@pytest.mark.parametrize("z", [[50.0, 25.0], np.array([50.0, 25.0])], ids=["list", "array"])
@pytest.mark.parametrize("m", [2, 7, 9])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_text_agrees_with_the_tape(
    program: Any, m: int, z: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    out = program(z, 4, m)
    weights = np.cos(np.arange(np.size(out))).reshape(np.shape(out))
    weights = weights if isinstance(out, np.ndarray) else weights.tolist()
    found = [
        sg.pullback(program, argnums=(0,), fallback=engine)(z, 4, m)[1](weights)
        for engine in ("error", "tape")
    ]
    np.testing.assert_allclose(*found)
