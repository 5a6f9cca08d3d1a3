"""Finds where in the forward pass a failing or NaN-producing node was made."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.tape.core import Core
from srcgrad.tape.modes import STATE, ModeContext


def explain_failure(node: Any) -> None:
    """Warn with the forward call that made `node`, and the one whose backward made that."""
    name = node.name()
    place = node.metadata.get("traceback_")
    if place is None:
        warnings.warn(
            f"Error detected in {name}. No forward pass information available. Enable detect "
            "anomaly during forward pass for more information.",
            UserWarning,
            stacklevel=2,
        )
        return
    warnings.warn(
        f"Error detected in {name}. Traceback of forward call that caused the error:\n"
        + "".join(place),
        UserWarning,
        stacklevel=2,
    )
    parent = node.metadata.get("parent_")
    while parent is not None:
        place = parent.metadata.get("traceback_")
        warnings.warn(
            "\n\nPrevious calculation was induced by "
            f"{parent.name()}. Traceback of forward call that induced the previous calculation:\n"
            + "".join(place or ["No forward pass information available.\n"]),
            UserWarning,
            stacklevel=2,
        )
        parent = parent.metadata.get("parent_")


def check_finite(node: Any, parts: tuple[Any, ...]) -> None:
    """Check that no gradient that `node` returned has a NaN.

    Raises:
        RuntimeError: One has.
    """
    for number, part in enumerate(parts):
        array = part._array if isinstance(part, Core) else part
        if array is not None and np.isnan(array).any():
            explain_failure(node)
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output."
            )


class set_detect_anomaly(ModeContext):
    """Switch anomaly mode on or off: at once when called, until the end of a ``with`` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = STATE.anomaly, STATE.check_nan
        self.mode, self.check_nan = mode, check_nan
        STATE.set(anomaly=mode, check_nan=check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        STATE.set(anomaly=self.before[0], check_nan=self.before[1])


class detect_anomaly:
    """Run with anomaly mode: a NaN in a gradient raises, a failing node shows its forward call."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self._before: tuple[bool, bool] = (False, True)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = STATE.anomaly, STATE.check_nan
        STATE.set(anomaly=True, check_nan=self.check_nan)

    def __exit__(self, *exc: object) -> None:
        STATE.set(anomaly=self._before[0], check_nan=self._before[1])


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on in this thread."""
    return STATE.anomaly
