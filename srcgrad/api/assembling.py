"""Finds the rows or columns of a Jacobian and puts them together, in containers of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from srcgrad.api.halves import adjoints_of
from srcgrad.api.policy import USUAL, Policy
from srcgrad.api.pushforward import tangents_of
from srcgrad.api.stacking import count_of, rows_in, seed_of, seeds_at_once, stack_of
from srcgrad.api.structures import float_leaves, leaves_as_in, mapped, split
from srcgrad.api.surroundings import Surroundings, own_copies, surroundings_of_a_writer
from srcgrad.api.values import is_complex
from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.tape import Tensor

Arguments = dict[str, Any]


def by_columns(
    f: Callable[..., Any],
    names: Sequence[str],
    arguments: Arguments,
    *,
    single: bool,
    has_aux: bool,
    policy: Policy = USUAL,
) -> tuple[Any, Any]:
    """Return the Jacobian, column by column in forward mode, and the auxiliary result.

    Inside, it has a tuple with an entry for each argument, unless it is a single one.
    """
    found = []
    for name in names:
        value, columns = pushed(f, (name,), arguments, None, has_aux=has_aux, policy=policy)
        found.append(columns)
    head, aux = split(value, has_aux=has_aux)
    places = count()

    def fill(leaf: Any) -> Any:
        place = next(places)
        parts = zip(names, found, strict=True)
        done = [_as_columns(columns[place], leaf, arguments[name]) for name, columns in parts]
        return done[0] if single else tuple(done)

    return mapped(fill, head), aux


def by_rows(
    f: Callable[..., Any],
    names: Sequence[str],
    arguments: Arguments,
    *,
    single: bool,
    has_aux: bool,
    policy: Policy = USUAL,
) -> tuple[Any, Any]:
    """Return the same, row by row in reverse mode."""
    value, rows = pulled(f, tuple(names), arguments, None, has_aux=has_aux, policy=policy)
    head, aux = split(value, has_aux=has_aux)
    end = 0

    def fill(leaf: Any) -> Any:
        nonlocal end
        start, end = end, end + int(np.size(leaf))
        pairs = zip(names, rows, strict=True)
        done = [
            _as_rows([part[start:end] for part in parts], leaf, arguments[name])
            for name, parts in pairs
        ]
        return done[0] if single else tuple(done)

    return mapped(fill, head), aux


# -- many seeds


def pushed(
    f: Callable[..., Any],
    names: tuple[str, ...],
    arguments: Arguments,
    seeds: Any,
    *,
    has_aux: bool,
    policy: Policy = USUAL,
) -> tuple[Any, list[Any]]:
    """Return the value, and the tangents of each float leaf of it along each of the seeds.

    `seeds` is a matrix with one seed in each row, over all numbers of the arguments `names`; None
    for the identity.
    """
    push, around = tangents_of(f, names, policy), _around(f, arguments)
    blocks: list[list[Any]] = []
    value: Any = None
    given = [arguments[name] for name in names]
    ends = np.cumsum([count_of(item) for item in given])
    matrix = np.eye(ends[-1]) if seeds is None else seeds
    for part in _parts(matrix, arguments):
        before = value
        if blocks and around is not None:
            around.put_back()  # each column is of the same run
        try:
            units = seeds is None and len(part) == len(matrix)
            pairs = zip(given, np.split(part, ends[:-1], axis=1), strict=True)
            value, tangent = push.rows(arguments, [stack_of(*pair, units=units) for pair in pairs])
            head, moved = _heads(value, tangent, has_aux=has_aux)
            blocks.append(rows_in(head, moved, len(part)))
        except CannotStackError:
            if around is not None:
                around.put_back()
            value, rows = _pushed_one_by_one(push, given, arguments, part, has_aux, around)
            blocks.append(rows)
        if len(blocks) > 1:
            _refuse_another_value(value, before)
    if not blocks:
        value = push(own_copies(f, arguments), [mapped(np.zeros_like, item) for item in given])[0]
        head, _ = split(value, has_aux=has_aux)
        return value, [np.zeros((0, *np.shape(leaf))) for leaf in float_leaves(head)]
    return value, _joined(blocks)


def _pushed_one_by_one(
    push: Any,
    given: list[Any],
    arguments: Arguments,
    seeds: Any,
    has_aux: bool,
    around: Surroundings | None,
) -> tuple[Any, list[Any]]:
    columns = []
    value: Any = None
    ends = np.cumsum([count_of(item) for item in given])
    for place, seed in enumerate(seeds):
        before = value
        if place and around is not None:
            around.put_back()
        tangents = list(map(seed_of, given, np.split(seed, ends[:-1])))
        value, tangent = push(own_copies(push.primal, arguments), tangents)
        if place:
            _refuse_another_value(value, before)
        head, moved = _heads(value, tangent, has_aux=has_aux)
        columns.append([as_array(leaf) for leaf in leaves_as_in(head, moved)])
    return value, [np.stack(leaves) for leaves in zip(*columns, strict=True)]


def _refuse_another_value(value: Any, before: Any) -> None:
    """Raise unless two runs gave the same: one that draws at random has no columns by itself."""
    pairs = zip(float_leaves(value), float_leaves(before), strict=True)
    if not all(np.array_equal(one, other, equal_nan=True) for one, other in pairs):
        raise NotDifferentiableError(
            "the function returns another value when it is run again, for the next column",
            hint="draw random numbers outside of it, or use srcgrad.jacrev, which runs it once",
        )


def pulled(
    f: Callable[..., Any],
    names: tuple[str, ...],
    arguments: Arguments,
    seeds: Any,
    *,
    has_aux: bool,
    policy: Policy = USUAL,
) -> tuple[Any, list[list[Any]]]:
    """Return the value, and for each argument the adjoints of its float leaves, for each seed.

    `seeds` is a matrix with one seed in each row, over all numbers of the result; None for the
    identity.
    """
    halves, before = adjoints_of(f, names, policy), _around(f, arguments)
    try:
        value, pull = halves.rows(arguments)
        _refuse_complex(value, has_aux=has_aux)
        return value, _pulled_at_once(value, pull, names, arguments, seeds, has_aux)
    except CannotStackError:
        if before is not None:
            before.put_back()
        value, pull = halves(own_copies(f, arguments))
        _refuse_complex(value, has_aux=has_aux)
    head, aux = split(value, has_aux=has_aux)
    matrix = np.eye(count_of(head)) if seeds is None else seeds
    rows = [pull(_adjoint(seed_of(head, seed), aux, has_aux=has_aux)) for seed in matrix]
    if not len(matrix):
        return value, _no_rows(names, arguments)
    found = []
    for place, name in enumerate(names):
        leaves = [leaves_as_in(arguments[name], row[place]) for row in rows]
        found.append([np.stack(parts) for parts in zip(*leaves, strict=True)])
    return value, found


def _around(f: Callable[..., Any], arguments: Arguments) -> Surroundings | None:
    return surroundings_of_a_writer(f, *arguments.values())


def _refuse_complex(value: Any, *, has_aux: bool) -> None:
    if is_complex(split(value, has_aux=has_aux)[0]):
        raise NotDifferentiableError(
            "a complex result has no Jacobian in reverse mode",
            hint="use srcgrad.jacfwd, or return real and imaginary parts",
        )


def _pulled_at_once(
    value: Any,
    pull: Callable[[Any], tuple[Any, ...]],
    names: tuple[str, ...],
    arguments: Arguments,
    seeds: Any,
    has_aux: bool,
) -> list[list[Any]]:
    head, aux = split(value, has_aux=has_aux)
    matrix = np.eye(count_of(head)) if seeds is None else seeds
    blocks: list[list[list[Any]]] = []
    for part in _parts(matrix, arguments):
        units = seeds is None and len(part) == len(matrix)
        adjoint = _adjoint(stack_of(head, part, units=units), aux, has_aux=has_aux)
        pairs = zip(names, pull(adjoint), strict=True)
        blocks.append([rows_in(arguments[name], item, len(part)) for name, item in pairs])
    if not blocks:
        return _no_rows(names, arguments)
    return [_joined([block[place] for block in blocks]) for place in range(len(names))]


def _no_rows(names: Sequence[str], arguments: Arguments) -> list[list[Any]]:
    return [
        [np.zeros((0, *np.shape(leaf))) for leaf in float_leaves(arguments[name])] for name in names
    ]


def _adjoint(adjoint: Any, aux: Any, *, has_aux: bool) -> Any:
    """Return the adjoint of a result, of which an auxiliary part has none."""
    return (adjoint, mapped(np.zeros_like, aux)) if has_aux else adjoint


def _heads(value: Any, tangent: Any, *, has_aux: bool) -> tuple[Any, Any]:
    head, _ = split(value, has_aux=has_aux)
    return (head, tangent[0]) if has_aux else (head, tangent)


def _parts(seeds: Any, arguments: Arguments) -> list[Any]:
    """Return the seeds in parts that fit into memory together."""
    step = seeds_at_once(len(seeds), sum(map(count_of, arguments.values())))
    if step >= len(seeds) > 0:
        return [seeds]
    return [seeds[start : start + step] for start in range(0, len(seeds), step)]


def _joined(blocks: list[list[Any]]) -> list[Any]:
    if len(blocks) == 1:
        return blocks[0]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def as_array(value: Any) -> Any:
    """Return a number as an array; a tensor, of a call on the tape, stays one."""
    return value if isinstance(value, Tensor) else np.asarray(value)


# -- shapes


def _as_columns(columns: Any, leaf: Any, argument: Any) -> Any:
    """Return derivatives of a leaf, with a row for each number of an argument, in its structure."""
    end = 0

    def fill(item: Any) -> Any:
        nonlocal end
        start, end = end, end + int(np.size(item))
        part = columns[start:end]
        block = part.transpose(*range(1, part.ndim), 0)
        block = block.reshape(np.shape(leaf) + np.shape(item))
        return block if isinstance(block, Tensor) else np.array(block, order="C")

    return mapped(fill, argument)


def _as_rows(rows: list[Any], leaf: Any, argument: Any) -> Any:
    """Return derivatives by each leaf of an argument, with a row for each number of a result."""
    places = iter(rows)

    def fill(item: Any) -> Any:
        rows = next(places)
        rows = rows if isinstance(rows, Tensor) else np.array(rows)
        return rows.reshape(np.shape(leaf) + np.shape(item))

    return mapped(fill, argument)
