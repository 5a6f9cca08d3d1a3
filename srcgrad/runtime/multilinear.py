"""Derivatives of the adjoints of products: functions that are linear in each of several factors.

The adjoint of a factor is made of the adjoint of the product and of the other factors, and so is
linear in each of those. Which of them is moved, and which adjoint is read, can be exchanged: so
both derivatives are sums of the adjoint itself, with one factor replaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.runtime.contractions import einsum_back, einsum_places, multi_dot_back
from srcgrad.runtime.numbers import as_given, product_back

Back = Callable[[Any, Sequence[Any]], Sequence[Any]]
"""The adjoints of all factors, from that of the product and the factors."""


def with_one(factors: Sequence[Any], place: int, factor: Any) -> tuple[Any, ...]:
    """Return factors with another one at a place.

    >>> with_one("abc", 1, "x")
    ('a', 'x', 'c')
    """
    return (*factors[:place], factor, *factors[place + 1 :])


def moved_each(
    back: Back, ways: Sequence[Any], grad: Any, factors: Sequence[Any], places: Iterable[int]
) -> list[Any]:
    """Return the sum of the adjoints with one factor after the other moved, but for its own.

    Where `ways` are adjoints of ``back(grad, factors)`` these are the gradients of the factors,
    where they are tangents of the factors, its tangents; None stands for zeros.
    """
    places = list(places)
    totals: list[Any] = [0 * f if i in places else None for i, f in enumerate(factors)]
    for place in places:
        if ways[place] is None:
            continue
        parts = back(grad, with_one(factors, place, ways[place]))
        for other in places:
            if other != place:
                totals[other] = totals[other] + parts[other]
    return totals


def pushed(
    back: Back,
    dots: tuple[Any, Sequence[Any] | None],
    grad: Any,
    factors: Sequence[Any],
    places: Iterable[int],
) -> tuple[Any, ...]:
    """Return the tangents of ``back(grad, factors)``, from those of `grad` and of the factors."""
    grad_dot, factor_dots = dots
    places = list(places)
    none = [None] * len(factors)
    ways = none if factor_dots is None else factor_dots
    totals = moved_each(back, ways, grad, factors, places)
    if grad_dot is not None:
        parts = back(grad_dot, factors)
        totals = [totals[i] + parts[i] if i in places else None for i in range(len(factors))]
    return tuple(totals)


def multi_dot_again(ways: Sequence[Any], grad: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return the gradients of the factors of a product of matrices in their adjoints."""
    return tuple(moved_each(multi_dot_back, ways, grad, arrays, range(len(arrays))))


def multi_dot_back_push(
    grad_dot: Any, dots: Any, grad: Any, arrays: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the tangents of the adjoints of the factors of a product of matrices."""
    return pushed(multi_dot_back, (grad_dot, dots), grad, arrays, range(len(arrays)))


def einsum_push(dots: Sequence[Any], operands: Sequence[Any], moving: Sequence[bool]) -> Any:
    """Return the tangent of ``np.einsum(*operands)`` from those of the operands that move."""
    terms = [
        np.einsum(*with_one(operands, place, dots[place]))
        for place in einsum_places(operands)
        if moving[place]
    ]
    return sum(terms[1:], terms[0]) if terms else 0.0


def _every_einsum_back(grad: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    return einsum_back(grad, operands, [True] * len(operands))


def einsum_again(
    ways: Sequence[Any], grad: Any, operands: Sequence[Any], wanted: Sequence[bool]
) -> tuple[Any, ...]:
    """Return the gradients of the operands of `np.einsum` in the adjoints of some of them."""
    places = einsum_places(operands)
    known = [ways[i] if wanted[i] else None for i in range(len(operands))]
    return tuple(moved_each(_every_einsum_back, known, grad, operands, places))


def einsum_back_push(
    grad_dot: Any, dots: Any, grad: Any, operands: Sequence[Any], wanted: Sequence[bool]
) -> tuple[Any, ...]:
    """Return the tangents of the adjoints of the operands of `np.einsum`."""
    places = einsum_places(operands)
    found = pushed(_every_einsum_back, (grad_dot, dots), grad, operands, places)
    return tuple(part if wanted[place] else None for place, part in enumerate(found))


def _all_product_back(grad: Any, factors: Sequence[Any]) -> tuple[Any, ...]:
    *items, start = factors
    parts, last = product_back(grad, items, start)
    return (*parts, last)


def product_push(dots: Sequence[Any], factors: Sequence[Any]) -> Any:
    """Return the tangent of the product of numbers; None stands for a tangent of zero."""
    terms = [
        math.prod(with_one(factors, place, dot))
        for place, dot in enumerate(dots)
        if dot is not None
    ]
    return sum(terms)


def prod_push(dots: tuple[Any, Any], items: Sequence[Any], start: Any) -> Any:
    """Return the tangent of ``math.prod(items, start=start)``."""
    return product_push(_of_each(dots, items), (*items, start))


def _of_each(dots: tuple[Any, Any], items: Sequence[Any]) -> tuple[Any, ...]:
    of_items, of_start = dots
    return (*([None] * len(items) if of_items is None else of_items), of_start)


def product_again(
    ways: Sequence[Any], grad: Any, items: Sequence[Any], start: Any
) -> tuple[Any, Any]:
    """Return the gradients of the items of a product, and of its start, in their adjoints."""
    factors = (*items, start)
    *parts, last = moved_each(_all_product_back, ways, grad, factors, range(len(factors)))
    return as_given(tuple(parts), items), last


def product_back_push(
    grad_dot: Any, dots: tuple[Any, Any], grad: Any, items: Sequence[Any], start: Any
) -> tuple[Any, Any]:
    """Return the tangents of the adjoints of the items of a product, and of its start."""
    factors, every = (*items, start), _of_each(dots, items)
    places = range(len(factors))
    *parts, last = pushed(_all_product_back, (grad_dot, every), grad, factors, places)
    return as_given(tuple(parts), items), last
