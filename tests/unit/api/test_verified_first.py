"""Tests that what the user asks to verify is verified, whatever else was compared before."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.api.test_verification import EVERY, Square, X, Y, every

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")


def _unread():
    """Return a function that numbers are asked of, and in which both engines are wrong."""

    def loss(x, y=Y):
        return np.linalg.norm(np.atleast_1d(x)) + np.sum(Square.apply(y))

    return loss


@every
def test_what_is_compared_on_our_account_is_verified_first(take):
    with pytest.raises(sg.VerificationError):
        take(_unread(), {"verify": True})


@every
def test_what_was_compared_on_our_account_is_not_verified(take):
    loss = _unread()
    take(loss, {})
    with pytest.raises(sg.VerificationError), sg.verifying():
        take(loss, {})


@pytest.mark.parametrize("name", ["hvp", "hessian_product"])
def test_derivatives_of_gradients_are_verified_first(name):
    def loss(x, y=Y):
        return np.sum(np.fft.fft(x).real) + np.sum(Square.apply(y))

    with pytest.raises(sg.VerificationError):
        EVERY[name](loss, {"verify": True})


@pytest.mark.parametrize("rows", [1, 3])
def test_stacks_of_seeds_are_verified_after_a_first_call(rows):
    loss = _unread()

    def repeated(y):
        return np.ones(rows) * loss(X, y)

    jacobian = sg.jacrev(repeated)
    for _ in range(2):
        jacobian(Y)
    with pytest.raises(sg.VerificationError), sg.verifying():
        jacobian(Y)
