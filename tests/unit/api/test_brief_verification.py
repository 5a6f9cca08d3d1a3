"""What nobody asked to verify is not run for long."""

from __future__ import annotations

import time

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import verification
from srcgrad.api.claims import verify_gradient
from srcgrad.insight.switch import briefly

X = np.array([0.5, 1.5])


def slow(x):
    time.sleep(0.01)
    return np.sum(x * x)


def wrong(x):
    return 3.0 * x


@pytest.fixture
def gradient():
    return sg.grad(slow, fallback="error")


def _verified(gradient) -> None:
    plan = gradient._make_plan()
    verify_gradient(gradient, plan, wrong, {"x": X})


def test_differences_alone_object_where_the_tape_would_take_long(gradient, monkeypatch) -> None:
    monkeypatch.setattr(verification, "_LONG", 0.001)
    with briefly(), pytest.raises(sg.VerificationError, match="refuses it"):
        _verified(gradient)


def test_nothing_is_compared_where_the_function_takes_very_long(gradient, monkeypatch) -> None:
    monkeypatch.setattr(verification, "_VERY_LONG", 0.001)
    with briefly():
        _verified(gradient)


def test_who_asks_gets_all_numbers(gradient, monkeypatch) -> None:
    monkeypatch.setattr(verification, "_VERY_LONG", 0.001)
    with pytest.raises(sg.VerificationError, match="by the tape"):
        _verified(gradient)
