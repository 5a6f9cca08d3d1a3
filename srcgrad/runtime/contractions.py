"""Adjoints of sums of products over axes: inner, tensordot, einsum, kron, cross."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import beside
from srcgrad.runtime.products import dot_left, dot_right, matmul_left, matmul_right

_MANY: Final = 30_000  # products of entries, from which matrices pay to be made of arrays
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def inner_left(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `a` in ``np.inner(a, b)``."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(grad * conj(b), np.shape(a))
    others = np.ndim(b) - 1
    return np.tensordot(
        grad, conj(b), axes=(range(np.ndim(grad) - others, np.ndim(grad)), range(others))
    )


def inner_right(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `b` in ``np.inner(a, b)``."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(grad * conj(a), np.shape(b))
    rows = np.ndim(a) - 1
    return np.tensordot(grad, conj(a), axes=(range(rows), range(rows)))


def contracted(axes: Any, a_rank: int, b_rank: int) -> tuple[list[int], list[int]]:
    """Return the axes of both arrays over which ``np.tensordot`` sums, none of them negative."""
    if np.ndim(axes) == 0:
        return list(range(a_rank - axes, a_rank)), list(range(axes))
    of_a, of_b = ([part] if np.ndim(part) == 0 else list(part) for part in axes)
    return [i % a_rank for i in of_a], [i % b_rank for i in of_b]


def tensordot_left(grad: Any, a: Any, b: Any, axes: Any) -> Any:
    """Return the gradient of `a` in ``np.tensordot(a, b, axes)``."""
    if type(axes) is int and axes == 1 and np.ndim(b) == len(("rows", "columns")):
        return matmul_left(grad, a, b)
    of_a, of_b = contracted(axes, np.ndim(a), np.ndim(b))
    kept_a = [i for i in range(np.ndim(a)) if i not in of_a]
    kept_b = [i for i in range(np.ndim(b)) if i not in of_b]
    whole = np.tensordot(grad, conj(b), axes=(range(len(kept_a), np.ndim(grad)), kept_b))
    order = [i for _, i in sorted(zip(of_b, of_a, strict=True))]
    return np.transpose(whole, np.argsort([*kept_a, *order]).tolist())


def tensordot_right(grad: Any, a: Any, b: Any, axes: Any) -> Any:
    """Return the gradient of `b` in ``np.tensordot(a, b, axes)``."""
    if type(axes) is int and axes == 1 and np.ndim(b) == len(("rows", "columns")):
        return matmul_right(grad, a, b)
    of_a, of_b = contracted(axes, np.ndim(a), np.ndim(b))
    kept_a = [i for i in range(np.ndim(a)) if i not in of_a]
    kept_b = [i for i in range(np.ndim(b)) if i not in of_b]
    whole = np.tensordot(conj(a), grad, axes=(kept_a, range(len(kept_a))))
    order = [i for _, i in sorted(zip(of_a, of_b, strict=True))]
    return np.transpose(whole, np.argsort([*order, *kept_b]).tolist())


def kron_left(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `a` in ``np.kron(a, b)``."""
    wide_a, wide_b = _wide_shapes(a, b)
    product = _blocks(grad, wide_a, wide_b) * conj(_blocks(b, (1,) * len(wide_b), wide_b))
    return np.reshape(np.sum(product, axis=tuple(range(1, product.ndim, 2))), np.shape(a))


def kron_right(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `b` in ``np.kron(a, b)``."""
    wide_a, wide_b = _wide_shapes(a, b)
    product = _blocks(grad, wide_a, wide_b) * conj(_blocks(a, wide_a, (1,) * len(wide_a)))
    return np.reshape(np.sum(product, axis=tuple(range(0, product.ndim, 2))), np.shape(b))


def _wide_shapes(a: Any, b: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of both with ones before the shorter."""
    rank = max(np.ndim(a), np.ndim(b))
    ones_a, ones_b = (1,) * (rank - np.ndim(a)), (1,) * (rank - np.ndim(b))
    return (*ones_a, *np.shape(a)), (*ones_b, *np.shape(b))


def _blocks(x: Any, outer: tuple[int, ...], inner: tuple[int, ...]) -> Any:
    """Return `x` with two axes, of the first and the second factor, for each of its axes."""
    return np.reshape(x, interleaved(outer, inner))


def interleaved(outer: tuple[int, ...], inner: tuple[int, ...]) -> list[int]:
    """Return the items of both by turns.

    >>> interleaved((1, 2), (3, 4))
    [1, 3, 2, 4]
    """
    return [n for pair in zip(outer, inner, strict=True) for n in pair]


def cross_left(grad: Any, a: Any, b: Any, axes: Any) -> Any:
    """Return the gradient of `a` in ``np.cross(a, b)``: the elements of b x grad that `a` has."""
    return _cross_part(grad, b, a, (axes[1], axes[0], axes[2]), 1)


def cross_right(grad: Any, a: Any, b: Any, axes: Any) -> Any:
    """Return the gradient of `b` in ``np.cross(a, b)``: the elements of grad x a that `b` has."""
    return _cross_part(grad, a, b, axes, -1)


def _cross_part(grad: Any, known: Any, wanted: Any, axes: Any, sign: int) -> Any:
    """Return the gradient of one factor of a cross product from the other, which is `known`."""
    known = conj(np.moveaxis(known, axes[0], -1))
    shape = np.moveaxis(wanted, axes[1], -1).shape
    size = shape[-1]
    if known.shape[-1] == 2 and size == 2:
        turned = np.stack([known[..., 1], -known[..., 0]], axis=-1)
        part = sign * np.expand_dims(grad, -1) * turned
    else:
        grad = np.moveaxis(grad, axes[2], -1)
        if known.shape[-1] == 2:
            known = np.concatenate([known, 0 * known[..., :1]], axis=-1)
        part = (sign * np.cross(known, grad))[..., :size]
    return np.moveaxis(unbroadcast(part, shape), -1, axes[1])


def multi_dot_back(grad: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return the gradient of each factor of a product of matrices; the ends may be vectors."""
    parts: list[Any] = []
    for place, array in enumerate(arrays):
        left = reduce(np.dot, arrays[:place]) if place else None
        right = reduce(np.dot, arrays[place + 1 :]) if place + 1 < len(arrays) else None
        inner = grad if left is None else dot_right(grad, left, _product(array, right))
        parts.append(inner if right is None else dot_left(inner, array, right))
    return tuple(parts)


def _product(array: Any, right: Any) -> Any:
    """Return ``array @ right``, or `array` if nothing follows it."""
    return array if right is None else np.dot(array, right)


def einsum_back(grad: Any, operands: Sequence[Any], wanted: Sequence[bool]) -> tuple[Any, ...]:
    """Return the gradient of each argument of ``np.einsum``; None for the subscripts."""
    places = einsum_places(operands)
    if isinstance(operands[0], str):
        arrays = operands[1:]
        subscripts = operands[0].replace(" ", "")
    else:
        arrays, subscripts = _from_lists(operands)
    inputs, output = _explicit(subscripts, arrays)
    parts: list[Any] = [None] * len(operands)
    for number, place in enumerate(places):
        if wanted[place]:
            parts[place] = _einsum_part(grad, inputs, output, arrays, number)
    return tuple(parts)


def einsum_places(operands: Sequence[Any]) -> range:
    """Return where the arrays are among the arguments of ``np.einsum``.

    >>> einsum_places(["i,i", 1.0, 2.0]), einsum_places([1.0, [0], 2.0, [0], []])
    (range(1, 3), range(0, 4, 2))
    """
    if isinstance(operands[0], str):
        return range(1, len(operands))
    return range(0, len(operands) - len(operands) % 2, 2)


def _from_lists(operands: Sequence[Any]) -> tuple[Sequence[Any], str]:
    """Translate the form with lists of axis numbers to the one with letters."""
    arrays = operands[0 : len(operands) - 1 : 2] if len(operands) % 2 else operands[0::2]
    labels = [*operands[1 : 2 * len(arrays) : 2]]
    words = [_word(label) for label in labels]
    arrow = "->" + _word(operands[-1]) if len(operands) % 2 else ""
    return arrays, ",".join(words) + arrow


def _word(label: Any) -> str:
    """Return the letters of a list of axis numbers."""
    return "".join("..." if part is Ellipsis else LETTERS[part] for part in label)


def _explicit(subscripts: str, arrays: Sequence[Any]) -> tuple[list[str], str]:
    """Return the letters of each input and of the output, with letters for the dots too."""
    left, arrow, output = subscripts.partition("->")
    words = left.split(",")
    free = [letter for letter in LETTERS if letter not in subscripts]
    ranks = [
        np.ndim(array) - len(word.replace("...", "")) if "..." in word else 0
        for word, array in zip(words, arrays, strict=True)
    ]
    longest = max(ranks)
    dots = "".join(free[:longest])
    inputs = [
        word.replace("...", dots[longest - rank :]) for word, rank in zip(words, ranks, strict=True)
    ]
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        output = dots + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return inputs, output.replace("...", dots)


def _einsum_part(
    grad: Any, inputs: list[str], output: str, arrays: Sequence[Any], number: int
) -> Any:
    """Return the gradient of one operand: a sum of products of `grad` and the other operands."""
    word, shape = inputs[number], np.shape(arrays[number])
    sizes = dict(zip(word, shape, strict=True))
    others = [
        (w, conj(x)) for i, (w, x) in enumerate(zip(inputs, arrays, strict=True)) if i != number
    ]
    known = output + "".join(w for w, _ in others)
    target = "".join(dict.fromkeys(c for c in word if c in known))
    part = _summed_products([(output, grad), *others], target)
    # letters that only this operand has were summed over: each element gets the same
    letters = "".join(dict.fromkeys(word))
    wide = [part.shape[target.index(c)] if c in target else 1 for c in letters]
    part = np.reshape(part, wide)
    single = tuple(sizes[c] for c in letters)
    part = np.broadcast_to(
        part, [m if n == 1 else n for n, m in zip(part.shape, single, strict=True)]
    )
    part = unbroadcast(part, single)
    return part if letters == word else _spread_diagonal(part, letters, word, shape)


def _summed_products(operands: list[tuple[str, Any]], target: str) -> Any:
    """Return what ``np.einsum`` does, as a product of matrices where that is one and pays."""
    if len(operands) == len(("a", "b")):
        (left, a), (right, b) = operands
        sizes = _sizes_of_matrices(left, a, right, b, target)
        if sizes is not None:
            return _as_matrices(left, a, right, b, target, sizes)
    words = ",".join(word for word, _ in operands)
    return np.einsum(f"{words}->{target}", *(x for _, x in operands))


def _sizes_of_matrices(left: str, a: Any, right: str, b: Any, target: str) -> dict[str, int] | None:
    """Return the length of each letter of a product of two arrays, if it is one of matrices.

    That is no sum over a letter of one array alone, no diagonal, and nothing of length one that is
    broadcast. Small products and those without a sum are left to NumPy, which has them sooner.
    """
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.dtype.kind not in "fc":
        return None
    every, both = {*left, *right}, set(left).intersection(right)
    plain = len(left) == a.ndim == len(set(left)) and len(right) == b.ndim == len(set(right))
    if not plain or a.dtype != b.dtype or every - both - {*target} or both <= {*target}:
        return None
    sizes = dict(zip(left, a.shape, strict=True))
    if any(sizes.get(c, n) != n for c, n in zip(right, b.shape, strict=True)):
        return None
    sizes.update(zip(right, b.shape, strict=True))
    return sizes if math.prod(sizes.values()) > _MANY else None


def _as_matrices(left: str, a: Any, right: str, b: Any, target: str, sizes: dict[str, int]) -> Any:
    """Return a sum of products of the entries of two arrays as a product of matrices."""
    stacks = [c for c in left if c in right and c in target]
    summed = [c for c in left if c in right and c not in target]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]

    def matrices(x: Any, word: str, first: list[str], second: list[str]) -> Any:
        turned = np.transpose(x, [word.index(c) for c in (*stacks, *first, *second)])
        lengths = [math.prod(sizes[c] for c in part) for part in (first, second)]
        return np.reshape(turned, (*(sizes[c] for c in stacks), *lengths))

    product = matrices(a, left, rows, summed) @ matrices(b, right, summed, columns)
    made = [*stacks, *rows, *columns]
    whole = np.reshape(product, [sizes[c] for c in made])
    return np.transpose(whole, [made.index(c) for c in target])


def _spread_diagonal(part: Any, letters: str, word: str, shape: Any) -> Any:
    """Put `part` on the diagonal of each letter that stands twice in `word`."""
    masks = []
    for place, letter in enumerate(word):
        first = word.index(letter)
        if first != place:
            masks.append((first, place))
    order = [letters.index(letter) for letter in word]
    source = np.reshape(np.arange(math.prod(part.shape)), part.shape)
    grid = np.indices(shape, sparse=True)
    on_diagonal = reduce(np.logical_and, (grid[i] == grid[j] for i, j in masks))
    index: list[Any] = [0] * len(letters)
    for place, number in enumerate(order):
        index[number] = grid[place] if word.index(word[place]) == place else index[number]
    picked = np.take(np.reshape(part, (-1,)), beside(source[tuple(index)], part))
    return np.where(beside(on_diagonal, part), picked, 0)
