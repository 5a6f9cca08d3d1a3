"""What a recorded step keeps of its arguments, and what the caller may do with those later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.tape.apply import frozen
from tests.differences import numerical_gradient

WHOLE, TRUTHS, FLOATS = np.array([0, 2]), np.array([True, False, True]), np.array([0.5, 1.5])
COPIED: dict[str, Any] = {
    "integers": WHOLE,
    "truth values": TRUTHS,
    "in a tuple": (WHOLE, 1),
    "in a list": [WHOLE, TRUTHS],
    "deeper": ([WHOLE], (2, (TRUTHS,))),
}


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("case", COPIED)
def test_what_selects_elements_is_copied(case: str) -> None:
    value = COPIED[case]
    kept = frozen(value, value)
    assert type(kept) is type(value)
    assert repr(kept) == repr(value)
    pairs = zip(_arrays(kept), _arrays(value), strict=True)
    assert all(not np.shares_memory(one, other) for one, other in pairs)


@pytest.mark.parametrize("value", [FLOATS, (FLOATS, 1.0), 2, "a", None])
def test_other_arguments_are_kept_as_they_are(value: Any) -> None:
    for one, other in zip(_arrays(frozen(value, value)), _arrays(value), strict=True):
        assert one is other
    assert frozen(value, value) == value if not _arrays(value) else True


def _pairs(x: Any, rows: Any, columns: Any) -> Any:
    y = x * x
    picked = y[rows, columns]
    rows[:] = 0
    columns[:] = 0
    return (picked * picked).sum()


def test_indices_may_be_written_into_after_they_were_used() -> None:
    data = np.arange(1.0, 7.0).reshape(2, 3)

    def plain(x: Any) -> Any:
        return _pairs(x, np.array([0, 1]), np.array([2, 1]))

    x = tape.tensor(data.copy(), requires_grad=True)
    _pairs(x, np.array([0, 1]), np.array([2, 1])).backward()
    np.testing.assert_allclose(x.grad.numpy(), numerical_gradient(plain, (data,), 0), rtol=1e-6)
