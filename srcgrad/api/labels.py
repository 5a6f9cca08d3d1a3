"""Takes gradients by Series and DataFrames of pandas: by their numbers, if those will do.

pandas goes by labels, where texts go by places. So a function is differentiated by the arrays in
its arguments only if it gives the same of those, at the arguments and beside them; that is looked
at anew when the labels change. What is not differentiated may stay as it is: then the text is
compared with differences.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from srcgrad.api.refusal import describe
from srcgrad.api.structures import mapped
from srcgrad.api.surroundings import Surroundings
from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.labelled import is_labelled, labelled_in, with_labels, without_labels

_BY_COLUMN: Final = (True, False)
copied: Final = copy.deepcopy  # noqa: TID251 - values, no trees


@dataclass(frozen=True, slots=True)
class Known:
    """How a function takes arguments of such labels.

    Attributes:
        labels: The indices and columns.
        by_column: Whether a DataFrame becomes a dict of columns; None if labels have to stay.
    """

    labels: list[Any]
    by_column: bool | None


def refuse_labels(values: Any) -> None:
    """Refuse arguments of pandas where no labels would be given back.

    Raises:
        NotDifferentiableError: There are some.
    """
    for value in labelled_in(values):
        kind = type(value).__name__
        raise NotDifferentiableError(
            f"an argument is a {kind} of pandas, which goes by labels",
            hint="pass its numbers, x.to_numpy(); `grad` and `value_and_grad` take labels too",
        )


class Differentiated(Protocol):
    """A function, with the names that it is differentiated by."""

    @property
    def primal(self) -> Callable[..., Any]: ...
    @property
    def names(self) -> Sequence[str]: ...
    def value(self, arguments: dict[str, Any], /) -> Any: ...


def how_labelled(of: Differentiated, arguments: dict[str, Any], known: Known | None) -> Known:
    """Return how a function takes its arguments.

    Raises:
        NotDifferentiableError: It needs the labels of what it is differentiated by.
    """
    labels = [item for value in labelled_in(arguments.values()) for item in _labels_of(value)]
    if known is not None and _are_same(known.labels, labels):
        return known
    for by_column in _BY_COLUMN:
        if _gives_the_same(of, arguments, by_column=by_column):
            return Known(labels, by_column)
    for name in of.names:
        for value in labelled_in([arguments[name]]):
            kind = type(value).__name__
            raise NotDifferentiableError(
                f"`{name}` is a {kind}, and `{describe(of.primal)}` gives no number, or another "
                "one, of its numbers without labels",
                hint="write the function of arrays: pass x.to_numpy(), or a dict of columns",
            )
    return Known(labels, None)


def relabelled(answer: Any, values: list[Any], *, single: bool) -> Any:
    """Return gradients with the labels of their arguments."""
    if single:
        return with_labels(answer, values[0])
    return tuple(with_labels(g, v) for g, v in zip(answer, values, strict=True))


def _labels_of(value: Any) -> list[Any]:
    return [getattr(value, name) for name in ("index", "columns") if hasattr(value, name)]


def _are_same(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(
        a is b or a.equals(b) for a, b in zip(before, now, strict=True)
    )


def _gives_the_same(of: Differentiated, arguments: dict[str, Any], *, by_column: bool) -> bool:
    """Say whether a function gives the same without labels, here and beside."""
    rng, told = np.random.default_rng(7), False
    for size in (0.0, 0.1, 0.3):
        moved = {name: _moved(value, size, rng) for name, value in arguments.items()}
        plain = {n: without_labels(v, by_column=by_column) for n, v in moved.items()}
        with Surroundings(of.primal).kept():
            try:
                pair = [np.asarray(of.value(copied(item))) for item in (moved, plain)]
            except Exception:  # noqa: BLE001 - arrays lack what pandas has
                return False
        if any(item.dtype.kind not in "fc" for item in pair) or pair[0].shape != pair[1].shape:
            return False
        near = float(np.finfo(pair[0].dtype).eps) ** 0.5
        if not np.allclose(pair[0], pair[1], rtol=near, atol=0.0, equal_nan=True):
            return False
        told = told or bool(np.all(np.isfinite(pair[0])))
    return told


def _moved(value: Any, size: float, rng: np.random.Generator) -> Any:
    """Return nested containers with other floats."""

    def shifted(leaf: Any) -> Any:
        if is_labelled(leaf) and hasattr(leaf, "columns"):
            return leaf.apply(shifted)
        kind = getattr(getattr(leaf, "dtype", None), "kind", "f" if type(leaf) is float else "")
        if kind != "f" or not size:
            return leaf
        way, step = (size * rng.normal(size=np.shape(leaf)) for _ in range(2))
        found = leaf * (1.0 + way) + step
        return found.astype(leaf.dtype) if hasattr(leaf, "dtype") else float(found)

    return mapped(shifted, value, shifted)
