"""Asks functions whether they raise what the tape has raised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad.api.blame import refusing_alone
from srcgrad.errors import NotDifferentiableError

X = np.array([0.1, 0.2])


class OnTheTape:
    def __init__(self, function: Any) -> None:
        self.function = function

    @refusing_alone(lambda self, x: (self.function, (x,), {}))
    def run(self, x: Any) -> Any:
        raise ValueError("a kind that is not known")


def test_a_value_error_that_the_tape_alone_raises_is_a_refusal() -> None:
    with pytest.raises(NotDifferentiableError, match="the tape alone raises ValueError"):
        OnTheTape(np.sum).run(X)


def test_a_value_error_of_the_function_stays_one() -> None:
    def refusing(x: Any) -> Any:
        raise ValueError("too few")

    with pytest.raises(ValueError, match="a kind"):
        OnTheTape(refusing).run(X)
