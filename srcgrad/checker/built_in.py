"""Knows Python's built-in functions of lanes."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from srcgrad.checker.arithmetic import canonical, is_varied, length_of, whole_of
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.lanes import Lane
from srcgrad.checker.library import BUILTINS, KINDS, MOST_TRIPS, Function, unknown
from srcgrad.checker.runs import NotCovered, Now

# -- builtins


def _length(value: Any) -> Any:
    return length_of(value)


def _isinstance(value: Any, kinds: Any) -> bool:
    if isinstance(kinds, tuple):
        return any(_isinstance(value, kind) for kind in kinds)
    real = kinds.real if isinstance(kinds, Function) else _REAL.get(kinds, kinds)
    if not isinstance(value, Lane):
        return isinstance(value, real) if isinstance(real, type) else False
    if not isinstance(real, type):
        return False
    if value.number:
        return issubclass(int if value.whole is not None else np.float64, real)
    return issubclass(np.ndarray, real)


def _float(value: Any = 0.0) -> Any:
    if isinstance(value, Lane):
        if value.number:
            return value
        return Lane(value.pair, number=True, varied=value.varied)
    return float(value)


def _int(value: Any = 0, *base: Any) -> Any:
    if isinstance(value, Lane):
        if value.whole is not None:
            return value.whole
        entry = hashed(code_of("int"), value.pair)
        return Lane((entry, entry), number=True, whole=hashed(entry, Now.run.seed) % 3)
    return int(value, *base)


def _bool(value: Any = False) -> bool:
    return bool(value)


def _sum(items: Any, start: Any = 0) -> Any:
    if isinstance(items, Lane):
        return unknown(Function(np.sum, "numpy.sum"), (items, 0), {}) + start
    total = start
    for value in items:
        total = total + value
    return total


def _extreme(name: str) -> Any:
    def extreme(*items: Any, **keywords: Any) -> Any:
        if len(items) == 1 and isinstance(items[0], (list, tuple, range)):
            items = tuple(items[0])
        wholes = [whole_of(value) for value in items]
        if all(value is not None for value in wholes) and items and not keywords:
            return items[wholes.index((min if name == "min" else max)(wholes))]  # type: ignore[type-var]
        if not any(is_varied(value) or isinstance(value, Lane) for value in items):
            return (min if name == "min" else max)(*items, **keywords)
        return unknown(Function(None, f"builtins.{name}"), items, keywords)

    return extreme


def _print(*args: Any, **keywords: Any) -> None:
    del keywords
    Now.run.trace.append(("print", hash(canonical(args))))


def _round(value: Any, *digits: Any) -> Any:
    if isinstance(value, Lane):
        return unknown(Function(None, "builtins.round"), (value, *digits), {})
    return round(value, *digits)


def _sorted(items: Any, *, key: Any = None, reverse: bool = False) -> Any:
    listed = list(items)

    def place(value: Any) -> Any:
        found = value if key is None else key(value)
        return hash(canonical(found)) if not isinstance(found, (int, str)) else found

    return sorted(listed, key=place, reverse=reverse)


class Trips:
    """A range of which only the first trips are made: something must end the loop."""

    def __init__(self, full: range) -> None:
        self._full = full

    def __iter__(self) -> Iterator[int]:
        yield from self._full[:MOST_TRIPS]
        raise NotCovered("a loop has too many trips")

    def __len__(self) -> int:
        return len(self._full)

    def __getitem__(self, place: Any) -> Any:
        return self._full[place]


def _range(*bounds: Any) -> Any:
    found = range(*[operator.index(item) for item in bounds])
    return found if len(found) <= MOST_TRIPS else Trips(found)


def _abs(value: Any) -> Any:
    return abs(value)


def _enumerate(items: Any, start: int = 0) -> Any:
    return enumerate(listed(items), start)


def _zip(*items: Any, strict: bool = False) -> Any:
    del strict
    return zip(*[listed(value) for value in items], strict=False)


def _reversed(items: Any) -> Any:
    return reversed(listed(items))


def _list(items: Any = ()) -> list[Any]:
    return list(listed(items))


def _tuple(items: Any = ()) -> tuple[Any, ...]:
    return tuple(listed(items))


def listed(items: Any) -> Any:
    """Return what a loop runs over."""
    if isinstance(items, Lane):
        return [items[i] for i in range(items.length())]
    return items


def _type(value: Any, *rest: Any) -> Any:
    if rest:
        raise NotCovered("a class is made")
    if isinstance(value, Lane):
        return float if value.number else Function(np.ndarray, "numpy.ndarray")
    return type(value)


def _no(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotCovered(f"`{name}` is called")

    return refuse


BUILTINS.update({
    "len": _length, "isinstance": _isinstance, "float": _float, "int": _int, "bool": _bool,
    "sum": _sum, "min": _extreme("min"), "max": _extreme("max"), "print": _print, "round": _round,
    "sorted": _sorted, "range": _range, "abs": _abs, "enumerate": _enumerate, "zip": _zip,
    "reversed": _reversed, "list": _list, "tuple": _tuple, "type": _type,
    "open": _no("open"), "input": _no("input"), "exec": _no("exec"), "eval": _no("eval"),
    "id": _no("id"), "vars": _no("vars"), "globals": _no("globals"), "locals": _no("locals"),
})  # fmt: skip
_REAL: Final = {
    function: getattr(builtins, name)
    for name, function in BUILTINS.items()
    if isinstance(getattr(builtins, name), type)
}
KINDS.update({real: function for function, real in _REAL.items()})
