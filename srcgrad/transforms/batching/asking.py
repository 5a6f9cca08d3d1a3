"""Asks a function itself what it returns for arrays with so many axes, where no record tells.

It is called with small arrays of three lengths, if it is known to do nothing else. With how many
axes it answers to all of them is known then; what it refuses, or answers otherwise, is not.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from srcgrad import runtime
from srcgrad.primitives.constants import FRESH, INDEX, SIZES, STEPS, TRUTH
from srcgrad.rules import draws, library
from srcgrad.rules.records import primitive_of
from srcgrad.transforms.batching.facts import UNKNOWN, Fact, fact_of, joined

_LENGTHS: Final = (3, 4, 1)  # some functions treat axes of length one otherwise
_MOST: Final = 64
_REASONS: Final = (FRESH, INDEX, SIZES, STEPS, TRUTH)
_OF_MEMORY: Final = frozenset(
    "written_over shadow_of shadow_of_view tangent_of_view complex_shadow_of add_to_shadows "
    "run_steps reverse_steps on_tape copied_like".split()
)
_RUNTIME: Final = "srcgrad.runtime."
_NO_ANSWER: Final = object()


class _NotSampledError(Exception):
    """There is no small value like one."""


def is_pure(function: Any) -> bool:
    """Say whether a call of a function does nothing but to return what its arguments tell.

    >>> is_pure(np.arange), is_pure(np.polyval), is_pure(np.seterr), is_pure(np.random.normal)
    (True, True, False, False)
    """
    rule = library.rule_for(function)
    if rule is not None:
        ours = rule.__module__.startswith("srcgrad.rules.") and rule.__module__ != draws.__name__
        return ours and not primitive_of(function).writes and _name(function) not in _OF_MEMORY
    module = str(getattr(function, "__module__", None) or "")
    if module.startswith(_RUNTIME):
        known = primitive_of(function).writes or _name(function) in _OF_MEMORY
        return not known and getattr(runtime, _name(function), None) is function
    of_numpy = module.partition(".")[0] == "numpy" and not module.startswith("numpy.random")
    return of_numpy and library.constant_reason(function) in _REASONS


def asked(
    function: Any,
    args: Sequence[Fact],
    named: Mapping[str, Fact],
    objects: Mapping[Any, Any],
    *,
    alike: bool = False,
) -> Fact:
    """Return what is known of what a function returns for an example.

    `objects` are arguments that are types and the like, by their position or their name; `alike`
    asks for results whose lengths do not depend on the values of arrays.

    >>> asked(np.linspace, [fact_of(0.0), fact_of(1.0), fact_of(5)], {}, {}).rank
    1
    """
    if not is_pure(function):
        return UNKNOWN
    plain = tuple(map(_bare, args)), tuple((key, _bare(fact)) for key, fact in named.items())
    try:
        fact, is_alike = _asked(function, *plain, tuple(objects.items()))
    except TypeError:  # something of it is no key
        return UNKNOWN
    return fact if is_alike or not alike else UNKNOWN


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", ""))


def _bare(fact: Fact) -> Fact:
    """Return what is known of a value but for where it lies, and whose it is."""
    items = None if fact.items is None else tuple(map(_bare, fact.items))
    return Fact(fact.kind, False, fact.rank, fact.dtype, items, fact.keys, fact.constant)


@lru_cache(maxsize=4096)
def _asked(
    function: Any,
    args: tuple[Fact, ...],
    named: tuple[tuple[str, Fact], ...],
    objects: tuple[tuple[Any, Any], ...],
) -> tuple[Fact, bool]:
    """Return what is known of a result, and whether values do not change its lengths."""
    known, found, is_alike = dict(objects), UNKNOWN, True
    for length in _LENGTHS:
        shapes = set()
        for rises in (False, True):
            small = partial(_small, length=length, rises=rises)
            try:
                values = [small(fact, given=known.get(i)) for i, fact in enumerate(args)]
                more = {key: small(fact, given=known.get(key)) for key, fact in named}
            except _NotSampledError:
                return UNKNOWN, False
            answer = _answer(function, values, more)
            if answer is _NO_ANSWER or (found is UNKNOWN and length == 1):
                continue
            fact = _fact_of(answer)
            found = fact if found is UNKNOWN else joined(found, fact)
            shapes.add(repr(_shapes(answer)))
        is_alike = is_alike and len(shapes) < 2
    if not _is_numeric(found):
        return UNKNOWN, False
    told = all(fact.dtype or not fact.is_numeric for fact in (*args, *(f for _, f in named)))
    return found if told else _of_any_kind(found), is_alike


def _answer(function: Any, values: list[Any], named: dict[str, Any]) -> Any:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*values, **named)
    except Exception:  # noqa: BLE001 - it may raise whatever it likes
        return _NO_ANSWER


def _fact_of(answer: Any) -> Fact:
    """Return what is known of an answer, named tuples being tuples."""
    return fact_of(tuple(answer) if isinstance(answer, tuple) else answer)


def _shapes(answer: Any) -> Any:
    if isinstance(answer, (list, tuple)):
        return list(map(_shapes, answer))
    return np.shape(answer)


def _is_numeric(fact: Fact) -> bool:
    """Say whether a value is of numbers of a known kind, or a list or tuple of such."""
    if fact.kind in ("tuple", "list"):
        return fact.items is not None and all(map(_is_numeric, fact.items))
    return fact.is_numeric and bool(fact.dtype)


def _of_any_kind(fact: Fact) -> Fact:
    items = None if fact.items is None else tuple(map(_of_any_kind, fact.items))
    return replace(fact, dtype="", items=items)


def _small(fact: Fact, *, length: int, rises: bool, given: Any = None) -> Any:
    """Return a small value like one of which something is known; an array `rises` from zero.

    Raises:
        _NotSampledError: There is none.
    """
    if given is not None:
        return given
    if fact.constant:
        (value,) = fact.constant
        big = isinstance(value, (int, float)) and not -_MOST <= value <= _MOST
        return type(value)(length) if big else value
    if fact.is_numeric and fact.rank is not None:
        if fact.kind == "number":
            return {"b": rises, "i": length, "c": 0.7 + 0.2j}.get(fact.dtype, 0.7)
        return _array(fact, length, rises=rises)
    if fact.kind in ("tuple", "list") and fact.items is not None:
        held = fact.items if fact.keys is None else fact.items * length  # which are all alike
        items = [_small(item, length=length, rises=rises) for item in held]
        return tuple(items) if fact.kind == "tuple" else items
    raise _NotSampledError


def _array(fact: Fact, length: int, *, rises: bool) -> Any:
    """Return an array of one value or of rising ones; matrices of one value have an inverse."""
    rank = fact.rank or 0
    values = np.full((length,) * rank, {"b": True, "i": 1, "c": 0.7 + 0.2j}.get(fact.dtype, 0.7))
    if rises:
        places = np.arange(values.size).reshape(values.shape)
        return (places % length if fact.dtype in ("b", "i") else places).astype(values.dtype)
    return values + length * np.eye(length) if rank >= 2 and fact.dtype not in "bi" else values
