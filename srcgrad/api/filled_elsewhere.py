"""Fills Jacobians at arrays of another library, one row or column at a time, where they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from srcgrad.api.elsewhere import refuse_elsewhere
from srcgrad.api.halves import adjoints_of
from srcgrad.api.policy import Policy
from srcgrad.api.pushforward import tangents_of
from srcgrad.api.structures import copied
from srcgrad.api.values import check_input, is_complex
from srcgrad.backends import library_of, namespace
from srcgrad.errors import LibraryGapError

Arguments = Mapping[str, Any]
_ONE_BY_ONE = "srcgrad.vjp and srcgrad.jvp run there, one row or column at a time"


def refuse_all_but_plain(arguments: Arguments, *, is_plain: bool) -> None:
    """Refuse what is sparse or to be verified, or has something beside the result.

    Raises:
        LibraryGapError: It is not plain.
    """
    if not is_plain:
        what = "sparse Jacobians, those with has_aux and those to be verified are filled"
        refuse_elsewhere(what, arguments.values(), _ONE_BY_ONE)


def jacobian_elsewhere(
    f: Callable[..., Any],
    names: Sequence[str],
    arguments: Arguments,
    *,
    mode: str,
    single: bool,
    policy: Policy,
) -> Any:
    """Return the Jacobian of a function of real arrays that returns one array.

    Raises:
        LibraryGapError: There are containers or numbers among the arguments, or the result is one.
    """
    given = [arguments[name] for name in names]
    for name, value in zip(names, given, strict=True):
        check_input(value, name)
        if is_complex(value):
            raise LibraryGapError("a Jacobian there is one by real numbers", hint=_ONE_BY_ONE)
    if any(library_of(value) is None for value in given):
        raise LibraryGapError(
            "a Jacobian there is one by arrays, not by containers or numbers", hint=_ONE_BY_ONE
        )
    if mode == "auto":
        value, _ = adjoints_of(f, tuple(names), policy)(copied(dict(arguments)))
        size = getattr(value, "size", 1)
        mode = "reverse" if size <= sum(item.size for item in given) else "forward"
    fill = _by_rows if mode == "reverse" else _by_columns
    found = fill(f, names, arguments, policy)
    return found[0] if single else tuple(found)


def _array(value: Any) -> Any:
    """Return the result of a function, which must be one array.

    Raises:
        LibraryGapError: It is a container, or a number of Python.
    """
    if library_of(value) is None:
        raise LibraryGapError(
            "a Jacobian there is that of a function that returns one array", hint=_ONE_BY_ONE
        )
    return value


def _units(like: Any) -> list[Any]:
    """Return arrays like one, each with a 1 at one of its places."""
    xp, found = namespace(like), []
    for place in range(like.size):
        unit = xp.zeros(like.size, dtype=like.dtype)
        unit[place] = 1.0
        found.append(unit.reshape(like.shape))
    return found


def _by_rows(
    f: Callable[..., Any], names: Sequence[str], arguments: Arguments, policy: Policy
) -> list[Any]:
    value, pull = adjoints_of(f, tuple(names), policy)(copied(dict(arguments)))
    value = _array(value)
    rows = [pull(unit) for unit in _units(value)]
    if not rows:
        return [_empty(value, arguments[name]) for name in names]
    columns = zip(names, zip(*rows, strict=True), strict=True)
    xp = namespace(value)
    return [
        xp.stack(list(parts)).reshape((*value.shape, *arguments[name].shape))
        for name, parts in columns
    ]


def _by_columns(
    f: Callable[..., Any], names: Sequence[str], arguments: Arguments, policy: Policy
) -> list[Any]:
    found = []
    for name in names:
        push, x = tangents_of(f, (name,), policy), arguments[name]
        pairs = [push(copied(dict(arguments)), [unit]) for unit in _units(x)]
        if not pairs:
            value, _ = push(copied(dict(arguments)), [x])
            found.append(_empty(_array(value), x))
            continue
        value = _array(pairs[0][0])
        stacked = namespace(x).stack([moved for _, moved in pairs], axis=-1)
        found.append(stacked.reshape((*value.shape, *x.shape)))
    return found


def _empty(value: Any, x: Any) -> Any:
    return namespace(x).zeros((*value.shape, *x.shape), dtype=x.dtype)
