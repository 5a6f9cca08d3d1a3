"""Solves linear equations between elements of the field, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.checker.elements import Element, element_of
from srcgrad.checker.runs import NotCovered


def solved(a: Any, b: Any) -> Any:
    """Return the solution of one system, by elimination; `b` is a vector or a matrix.

    Raises:
        NotCovered: It is a stack of systems.
        LinAlgError: The matrix is singular.
    """
    rows, right = _rows(a), np.asarray(b)
    if right.ndim not in (1, 2) or len(right) != len(rows):
        raise NotCovered("a stack of systems is solved")
    columns = right.reshape(len(rows), -1).tolist()
    system = [[*row, *map(element_of, given)] for row, given in zip(rows, columns, strict=True)]
    _eliminate(system)
    found = np.empty((len(rows), len(columns[0]) if columns else 0), object)
    for place, row in enumerate(system):
        found[place] = row[len(rows) :]
    return found.reshape(right.shape)


def inverted(a: Any) -> Any:
    """Return the inverse of one matrix."""
    return solved(a, np.eye(len(a)))


def determinant(a: Any) -> Any:
    """Return the determinant of one matrix."""
    rows = _rows(a)
    try:
        return element_of(_eliminate(rows))
    except np.linalg.LinAlgError:
        raise NotCovered("a matrix is singular") from None


def solved_back(grad: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    """Return what both arguments of ``y = solve(a, b)`` get of an adjoint."""
    found = solved(np.swapaxes(a, -1, -2), grad)
    outer = np.outer(found, y) if np.ndim(b) == 1 else found @ np.swapaxes(y, -1, -2)
    return -outer, found


def determinant_back(grad: Any, a: Any, y: Any) -> Any:
    """Return what a matrix gets of the adjoint of its determinant `y`."""
    return grad * y * np.swapaxes(inverted(a), -1, -2)


def _rows(a: Any) -> list[list[Element]]:
    matrix = np.asarray(a)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise NotCovered("it is no square matrix")
    return [list(map(element_of, row)) for row in matrix.tolist()]


def _eliminate(rows: list[list[Element]]) -> Any:
    """Bring the square on the left to the unit matrix; return its determinant."""
    product: Any = Element(1)
    for place in range(len(rows)):
        pivot = next((i for i in range(place, len(rows)) if rows[i][place].value), None)
        if pivot is None:
            raise np.linalg.LinAlgError("Singular matrix")
        if pivot != place:
            rows[place], rows[pivot] = rows[pivot], rows[place]
            product = -product
        lead = rows[place][place]
        product = product * lead
        rows[place] = [item / lead for item in rows[place]]
        for other, row in enumerate(rows):
            if other != place and (row[place].value or row[place].dot):
                factor = row[place]
                rows[other] = [x - factor * y for x, y in zip(row, rows[place], strict=True)]
    return product
