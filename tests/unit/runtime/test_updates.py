"""Updates in place as generated text writes them: with errors, shapes and types of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad.runtime import written_over

VALUES = {
    "rows": (np.ones(3), np.ones((1, 3))),
    "no axes": (np.array(1.0), np.ones(1)),
    "type": (np.ones(3, int), np.ones(3)),
    "complex": (np.ones(3), 1j * np.ones(3)),
    "narrow": (np.ones(3, np.float32), np.ones(3)),
    "number": (np.array(1.0), np.float64(2.0)),
    "truths": (np.ones(3, int), np.ones(3, bool)),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_written_over_is_as_numpy_writes_it(name: str) -> None:
    old, value = VALUES[name]
    written = old.copy()
    try:
        written += value
    except (ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            written_over(old, old + value)
        return
    found = written_over(old, old + value)
    assert type(found) is type(written)
    assert (found.dtype, found.shape) == (written.dtype, written.shape)
    np.testing.assert_array_equal(found, written)
