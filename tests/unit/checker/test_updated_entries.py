"""Tests that the checker runs updates of what lies in lists, also where own code cannot be run."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import observed


def swapped(x: Any) -> Any:
    held = [x * 1.0, x * 2.0]
    held[0] += held[1]
    held[0], held[1] = held[1], held[0]
    held[0] *= 2
    warnings.warn("done", stacklevel=1)
    return held[0].sum() + 3 * held[1].sum()


def divided(x: Any) -> Any:
    held = {"a": x * 1.0, "b": x * 2.0}
    held["a"], held["b"] = held["b"], held["a"]
    held["a"] /= held["b"]
    held["b"] -= x
    warnings.warn("done", stacklevel=1)
    return (held["a"] * x).sum() + held["b"].sum()


@pytest.mark.parametrize("f", [swapped, divided])
def test_updates_of_entries_are_proven(f: Any) -> None:
    x = np.array([0.7, 1.3, 0.4, 1.9])
    found: list[Verdict] = []
    with observed(lambda *item: found.append(item[-1])), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sg.grad(f, fallback="error")(x)
    assert [(verdict.kind, verdict.reason) for verdict in found] == [("proven", "")]
    assert found[0].unread  # the function warns, which is not run for a check
