"""Calls of the specs with other options have the gradients of differences, or are refused."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
import pytest

import srcgrad as sg
from tests.refusals import skip_refused
from tests.text import ledger
from tests.unit.rules.callers import callers
from tests.unit.rules.equivalent_specs import equivalents
from tests.unit.rules.opspec import A, OpSpec, op
from tests.unit.rules.options import one_in, varied
from tests.unit.rules.scipy_equivalent_specs import scipy_equivalents
from tests.unit.rules.specs import SPECS

SHARE: Final = 4 if ledger.EVERY else 128
EQUIVALENTS: Final = [*equivalents(), *scipy_equivalents()]
CALLS: Final = [*one_in(max(1, SHARE // 4), EQUIVALENTS), *one_in(SHARE, SPECS)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", CALLS, ids=lambda spec: spec.label)
def test_a_call_with_other_options_has_the_gradient_of_differences(spec: OpSpec) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.RankWarning)
        try:
            (caller,) = callers([spec])
            expected = caller.differences
        except Exception as error:  # noqa: BLE001 - what the function itself does not take
            pytest.skip(f"no such call: {error}")
        try:
            grads = caller.gradient(*caller.leaves, *caller.weights)
        except sg.SrcgradError as refusal:
            skip_refused(refusal)
    for grad, by_differences in zip(grads, expected, strict=True):
        assert np.shape(grad) == np.shape(by_differences)
        if np.isfinite(by_differences).all():
            np.testing.assert_allclose(grad, by_differences, rtol=1e-5, atol=1e-6)


def test_options_are_varied_one_at_a_time() -> None:
    def smooth(x, size, mode="same", factor=1.0, *, whole=False):
        """Smooth something.

        mode : {"same", "valid"}
            How.
        """

    made = list(varied(op(smooth, A(3), 3)))
    options = [spec.kwargs for spec in made[2:]]
    assert [spec.args[1] for spec in made] == [4, 5, 3, 3, 3]
    assert options == [{"mode": "valid"}, {"factor": 1.8}, {"whole": True}]
