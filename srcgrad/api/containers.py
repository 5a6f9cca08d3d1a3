"""Differentiates by containers of the user's own: their parts stand in for them.

Where the parts of an argument are fields of a plain object, the text reads the fields. Elsewhere
(second derivatives, lists of objects, other classes) tuples of the parts, each of a class made for
its object, are handed on; the function is run, on the tape, with objects put together from those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.api.making import made_once
from srcgrad.api.refusal import describe
from srcgrad.api.structures import mapped
from srcgrad.api.underlying import owner, signature
from srcgrad.errors import UnsupportedError
from srcgrad.runtime.containers import (
    REGISTERED,
    fields_in_order,
    is_registered,
    part_names,
    taken_apart,
)
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt


class Parts(tuple[Any, ...]):
    """The parts of one object; each object has a class of its own, with what goes with them."""

    __slots__ = ()
    container: type
    rest: Any
    _fields: tuple[str, ...]

    def __new__(cls, *parts: Any) -> Parts:
        """Make it from single parts, as named tuples are."""
        return tuple.__new__(cls, parts)

    def whole(self) -> Any:
        """Return the object that the parts are of."""
        parts = [put_together(part) for part in self]
        return REGISTERED[self.container].unflatten(self.rest, parts)


def parts_of(value: Any) -> Any:
    """Return nested containers with parts in the place of the objects of registered classes."""
    if is_registered(value):
        parts, rest = taken_apart(value)
        names = tuple(f"part_{place}" for place in range(len(parts)))
        body = {"__slots__": (), "container": type(value), "rest": rest, "_fields": names}
        return type("Parts", (Parts,), body)(*map(parts_of, parts))
    return _each(value, parts_of)


def put_together(value: Any) -> Any:
    """Return nested containers with objects in the place of their parts."""
    return value.whole() if isinstance(value, Parts) else _each(value, put_together)


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    if type(value) is dict:
        return {key: function(item) for key, item in value.items()}
    if type(value) is list:
        return [function(item) for item in value]
    if isinstance(value, tuple):
        items = [function(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def goes_by_parts(f: Callable[..., Any], values: Iterable[Any]) -> bool:
    """Say whether parts stand in for the objects in the arguments of a function.

    They do not where an argument is an object of which the text reads the fields. That of a second
    derivative does not.
    """
    if not REGISTERED:
        return False
    again = hasattr(f, "__srcgrad_taken__")
    return any(
        again or fields_in_order(value) is None if is_registered(value) else _holds_any(value)
        for value in values
    )


def _holds_any(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, (list, tuple)) and any(
        is_registered(item) or _holds_any(item) for item in value
    )


@made_once
def of_parts(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` as a function of the parts of its arguments, the same one at every call."""

    def function(*args: Any, **kwargs: Any) -> Any:
        given = {key: put_together(item) for key, item in kwargs.items()}
        return parts_of(f(*map(put_together, args), **given))

    made: Any = function
    made.__name__ = made.__qualname__ = describe(f)
    form = signature(f)
    free = list(form.parameters.values())[len(owner(f)) :]
    made.__signature__ = form.replace(parameters=free)
    made.__srcgrad_refusal__ = UnsupportedError(
        f"`{describe(f)}` is called with a registered container that is not read field by field",
        hint="give an object of its own, not in a list, of which `flatten` returns fields",
    )
    return function


def without_rest(value: Any, tangent: Any) -> Any:
    """Return the tangent of an argument with none for what is not among the parts of objects."""
    if not REGISTERED or tangent is None:
        return tangent
    if isinstance(value, dict):
        return {key: without_rest(item, tangent[key]) for key, item in value.items()}
    if is_plain_object(value):
        parts = set(part_names(value))
        return rebuilt(
            value,
            {
                name: without_rest(getattr(value, name), getattr(tangent, name))
                if name in parts
                else mapped(np.zeros_like, getattr(value, name))
                for name in field_names(value)
            },
        )
    if isinstance(value, (list, tuple)):
        items = [without_rest(v, t) for v, t in zip(value, tangent, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return tangent
