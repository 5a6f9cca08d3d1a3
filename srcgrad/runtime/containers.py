"""Knows the containers of the user's own that derivatives are taken by, and their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.errors import ArgumentError
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt

Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
Unflatten = Callable[[Any, list[Any]], Any]


@dataclass(frozen=True, slots=True)
class Container:
    """How a class of containers is taken apart and put together."""

    flatten: Flatten
    unflatten: Unflatten


REGISTERED: Final[dict[type, Container]] = {}


def register_container(cls: type, flatten: Flatten, unflatten: Unflatten) -> None:
    """Let objects of a class be arguments that derivatives are taken by, as lists and dicts are.

    Gradients come back as objects of the class, made by `unflatten`, which has to take whatever
    stands in the place of a part: a gradient, None for what is no float, a tensor of the tape, in a
    Hessian another object of the class. So it should check nothing.

    Args:
        cls: The class; classes derived from it are not meant.
        flatten: From an object to its parts (floats, arrays, containers of those, or anything else)
            and one thing more, whatever `unflatten` needs besides. Floats in that are constants.
        unflatten: From that thing and a list of parts to an object.

    Raises:
        ArgumentError: `cls` is no class, or of those that are known anyway.

    >>> class Line:
    ...     def __init__(self, slope, name):
    ...         self.slope, self.name = slope, name
    >>> register_container(
    ...     Line, lambda line: ((line.slope,), line.name), lambda name, parts: Line(*parts, name)
    ... )
    """
    if not isinstance(cls, type) or cls in (dict, list, tuple):
        raise ArgumentError(
            f"{getattr(cls, '__name__', cls)!r} cannot be registered as a container",
            hint="give a class of your own; dict, list and tuple are known",
        )
    REGISTERED[cls] = Container(flatten, unflatten)


def taken_apart(value: Any) -> tuple[list[Any], Any]:
    """Return the parts of an object of a registered class, and what goes with them."""
    parts, rest = REGISTERED[type(value)].flatten(value)
    return list(parts), rest


def remade(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return an object of a registered class with `function` of each part."""
    parts, rest = taken_apart(value)
    return REGISTERED[type(value)].unflatten(rest, [function(part) for part in parts])


def is_registered(value: Any) -> bool:
    """Say whether an object is of a registered class."""
    return type(value) in REGISTERED


def fields_in_order(value: Any) -> list[str] | None:
    """Return which fields of an object of a registered class its parts are.

    None if the parts are not just fields, or if the object is of no plain class.
    """
    if not is_plain_object(value):
        return None
    marks = {name: object() for name in field_names(value)}
    try:
        found, _ = taken_apart(rebuilt(value, marks))
    except Exception:  # noqa: BLE001 - it works on the parts, in whatever way
        return None
    names = {id(mark): name for name, mark in marks.items()}
    order = [names.get(id(part), "") for part in found]
    parts, _ = taken_apart(value)
    if len(parts) != len(order) or "" in order:
        return None
    same = all(getattr(value, n) is p for n, p in zip(order, parts, strict=True))
    return order if same else None


def part_names(value: Any) -> list[str]:
    """Return the fields of a plain object that are differentiated."""
    order = fields_in_order(value) if is_registered(value) else None
    return field_names(value) if order is None else order


def within(value: Any, fields: Callable[[Any], Iterable[str]] = field_names) -> Iterator[Any]:
    """Yield a value that is no container, or what nested containers and plain objects hold.

    Each of them is looked into once, since an object may hold one that holds it, as trees do.

    >>> parent = {"w": 2.0, "kids": [1.0, 3.0]}
    >>> parent["kids"].append(parent)
    >>> list(within(parent))
    [2.0, 1.0, 3.0]
    """
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            parts = list(item.values())
        elif isinstance(item, (list, tuple)):
            parts = list(item)
        elif is_plain_object(item):
            parts = [getattr(item, name) for name in fields(item)]
        else:
            yield item
            continue
        if id(item) not in seen:
            seen.add(id(item))
            waiting += reversed(parts)


def with_parts(value: Any, parts: dict[str, Any]) -> Any:
    """Return an object of the class of `value` with other parts, by the names of the fields."""
    order = fields_in_order(value) if is_registered(value) else None
    if order is None:
        return rebuilt(value, parts)
    _, rest = taken_apart(value)
    return REGISTERED[type(value)].unflatten(rest, [parts[name] for name in order])


def kept_apart(value: Any) -> Any:
    """Return a copy of a list, dict or set that a function is given to write into.

    Of an array it makes a copy itself (`taken_over`).
    """
    return value.copy() if isinstance(value, (list, dict, set)) else value


def taken_over(value: Any) -> Any:
    """Return what a function is given to write into: a list, dict or set itself, else a copy."""
    return value if isinstance(value, (list, dict, set)) else value.copy()
