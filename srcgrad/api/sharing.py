"""Refuses calls that pass the same memory twice to a function that writes into it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.analyses.elements import ANY
from srcgrad.api.values import is_writable_array
from srcgrad.backends import is_array, library_of
from srcgrad.compiler import Generated
from srcgrad.errors import MutationError
from srcgrad.frontend.one_way import is_reached_twice
from srcgrad.frontend.source import Path
from srcgrad.runtime.objects import field_names, holds_objects, is_plain_object
from srcgrad.spans import Span


class _NotCopiedError(MutationError):
    """A text takes a copy of something that is no array."""


KindsOfArrays = frozenset[tuple[str, str]]
_KINDS: Final = {1: "vector", 2: "matrix"}
_CONTAINERS: Final = (list, dict, tuple)
_MEMORY: Final = (np.ndarray, *_CONTAINERS)
MOST_ELEMENTS: Final = 256
"""Of a list, which are looked at in each call."""


def refuse_shared(generated: Generated, function: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse a call if what is written into may be reached under another name, too.

    Raises:
        MutationError: Two arguments share memory, or an argument and data from outside, or there
            is something else in the place of an array.
    """
    for name in generated.copied & arguments.keys():
        if not is_array(arguments[name]):
            raise _NotCopiedError(
                f"a text that takes a copy of `{name}` is for an array",
                hint="leave out pure=True, or pass a copy yourself",
            )
    everything = {**_read_outside(generated), **arguments}
    fields = _fields_by_object(generated)
    for (name, path), written in fields.items():
        others = [value for key, value in everything.items() if key != name]
        if name in everything and is_reached_twice(everything[name], path, written, others):
            raise _refusal(function, name, name, given=name in arguments)
    by_field = {name for name, _ in fields if is_plain_object(everything.get(name))}
    for name in sorted((generated.written - by_field) & everything.keys()):
        mine = list(_parts(everything[name]))
        if _meet_inside(everything[name]):
            raise _refusal(function, name, name, given=name in arguments)
        attributes = {} if name in arguments else _attributes_read(generated)
        for other, value in (*everything.items(), *attributes.items()):
            if other == name:
                continue
            for theirs in _parts(value):
                if any(_meet(part, theirs) for part in mine):
                    raise _refusal(function, name, other, given=name in arguments)


def _read_outside(generated: Generated) -> dict[str, Any]:
    """Return the data that a text reads outside, and what it writes there, by their names."""
    data = {item.name: item.current() for item in generated.data.values()}
    held = {name: item.current() for name, item in generated.outside.items()}
    return {**data, **held}


def _attributes_read(generated: Generated) -> dict[str, Any]:
    """Return the memory that a text may read as attributes of modules."""
    known = [*generated.data.values(), *generated.outside.values()]
    memory = (item for item in generated.fixed if isinstance(item.value, _MEMORY))
    more = [item for item in memory if not any(map(item.is_same_as, known))]
    return {f"{item.name} of a module": item.current() for item in more}


def _fields_by_object(generated: Generated) -> dict[tuple[str, Path], list[Any]]:
    """Return the fields or keys that are written into, by the objects that hold them."""
    found: dict[tuple[str, Path], list[Any]] = {}
    for name, path, field in sorted(generated.stored, key=repr):
        found.setdefault((name, path), []).extend([] if field == "" else [field])
    return found


def is_alone(
    generated: Generated,
    function: Any,
    arguments: Mapping[str, Any],
    refuse: Callable[[MutationError], None],
) -> bool:
    """Say whether what is written has one name; of lists and dicts the tape knows several.

    `refuse` is told of the latter, and of what is no array where the text takes a copy of one.

    Raises:
        MutationError: An array has another name, too.
    """
    try:
        refuse_shared(generated, function, arguments)
    except _NotCopiedError as problem:
        refuse(problem)
        return False
    except MutationError as problem:
        given = {**_read_outside(generated), **arguments}
        if not all(type(given.get(name)) in _CONTAINERS for name in generated.written):
            raise
        refuse(problem)
        return False
    return True


def are_apart(written: Sequence[Any], others: Sequence[Any]) -> bool:
    """Say whether arrays that are written into surely share no memory with anything else given.

    >>> x = np.ones(4)
    >>> are_apart([x], [2.0, np.ones(4)]), are_apart([x], [x[:2]]), are_apart([x], [[x]])
    (True, False, False)
    """
    given = (*written, *others)
    if not all(type(value) is np.ndarray or isinstance(value, (float, int)) for value in given):
        return False
    arrays = [value for value in given if type(value) is np.ndarray]
    pairs = itertools.combinations(arrays, 2)  # what is written comes first
    most = sum(len(arrays) - 1 - i for i in range(min(len(written), len(arrays))))
    return not any(np.may_share_memory(*pair) for pair in itertools.islice(pairs, most))


def kinds_of_arrays(arguments: Mapping[str, Any]) -> KindsOfArrays:
    """Return the arguments that are arrays with axes, vectors or matrices, or hold others.

    So with plain numbers, of which each array that is made is new memory, and with lists of them.

    >>> sorted(kinds_of_arrays({"x": np.ones(3), "rate": 2.0, "n": 3, "name": "a"}))
    [('rate', 'number'), ('x', 'vector')]
    >>> sorted(kinds_of_arrays({"rows": [[1.0, 2.0], [3.0]]}))
    [('rows', 'list'), ('rows[*][*]', 'number')]
    """
    ranks = {name: np.ndim(value) for name, value in arguments.items() if is_writable_array(value)}
    arrays = {(name, _KINDS.get(rank, "array")) for name, rank in ranks.items() if rank}
    depths = {n: depth_of_numbers(v, (list, tuple)) for n, v in arguments.items()}
    arrays |= {(name + ANY * depth, "number") for name, depth in depths.items() if depth}
    return frozenset(arrays) | {
        (name, "number" if isinstance(value, float) else type(value).__name__)
        for name, value in arguments.items()
        if type(value) in _CONTAINERS or isinstance(value, float)
    }


def depth_of_numbers(value: Any, inner: tuple[type, ...] = (list,)) -> int:
    """Return how deep in lists a value holds numbers and nothing else; 0 if it is no such list.

    Those inside are of the `inner` types.

    >>> [depth_of_numbers(v) for v in ([1, 2.5], [[1.0], [2.0, 3.0]], [[1.0], 2.0], [True], [])]
    [1, 2, 0, 0, 0]
    """
    if type(value) not in (list, tuple) or not 0 < len(value) <= MOST_ELEMENTS:
        return 0
    if all(type(item) is int or isinstance(item, float) for item in value):
        return 1
    depths = {depth_of_numbers(v, inner) if type(v) in inner else 0 for v in value}
    depth = depths.pop()
    return depth + 1 if depth and not depths else 0


def named_arrays(names: Iterable[str]) -> KindsOfArrays:
    """Return the names as those of arrays of any kind."""
    return frozenset((name, "array") for name in names)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the arrays, lists and dicts that a value is or holds."""
    if is_array(value):
        yield value
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _parts(item)
    elif isinstance(value, (list, tuple)):
        if isinstance(value, list):
            yield value
        for item in value:
            yield from _parts(item)
    elif is_plain_object(value):
        for name in field_names(value):
            yield from _parts(getattr(value, name))


def _meet_inside(value: Any) -> bool:
    """Say whether two fields of an object, or two things that it or a list holds, share memory."""
    holds = type(value) in _CONTAINERS or is_plain_object(value) or holds_objects(value)
    if type(value) is np.ndarray or not holds:
        return False
    return any(_meet(one, other) for one, other in itertools.combinations(_parts(value), 2))


def _meet(one: Any, other: Any) -> bool:
    """Say whether what is written into the one may be seen in the other."""
    if is_array(one) and is_array(other):
        return library_of(one) is library_of(other) and bool(np.may_share_memory(one, other))
    return one is other


def _refusal(function: FunctionType, name: str, other: str, *, given: bool) -> MutationError:
    code = function.__code__
    shown = f"`{other}`" if other != name else "another field of it"
    what = f"its argument `{name}`" if given else f"`{name}`"
    return MutationError(
        f"`{code.co_name}` writes into {what}, which shares memory with {shown}",
        span=Span(code.co_filename, code.co_firstlineno),
        hint=f"pass a copy: `{name if given else other}.copy()`",
    )
