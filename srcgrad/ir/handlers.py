"""Dispatches by kind: methods are marked with what they handle, and found by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])
_HANDLED = "__handled__"


def handles(table: str, keys: Iterable[Any]) -> Callable[[_Method], _Method]:
    """Mark the method that handles the keys of a table."""
    marked = [(table, key) for key in keys]

    def mark(method: _Method) -> _Method:
        setattr(method, _HANDLED, [*getattr(method, _HANDLED, ()), *marked])
        return method

    return mark


def statement(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that handles statements of these kinds."""
    return handles("statement", kinds)


def expression(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that handles expressions of these kinds."""
    return handles("expression", kinds)


class Handlers:
    """What handles things of some kinds, each by the method that is marked with the kind.

    >>> class Lengths(Handlers):
    ...     @handles("length", [str, list])
    ...     def _counted(self, value):
    ...         return len(value)
    >>> Lengths().handler("length", str)("abc"), Lengths().handler("length", int)
    (3, None)
    """

    handled: ClassVar[Mapping[tuple[str, Any], str]] = {}

    def __init_subclass__(cls) -> None:
        marked = ((key, name) for name, item in vars(cls).items() for key in _handled_by(item))
        cls.handled = dict(marked)

    def handler(self, table: str, key: Any) -> Callable[..., Any] | None:
        """Return the method that handles something, if one does."""
        name = self.handled.get((table, key))
        return None if name is None else getattr(self, name)


def handlers_of(parts: Iterable[Any]) -> dict[tuple[str, Any], Callable[..., Any]]:
    """Return the methods of all parts among some values, by what they handle."""
    return {
        key: getattr(part, name)
        for part in parts
        if isinstance(part, Handlers)
        for key, name in part.handled.items()
    }


def _handled_by(item: Any) -> list[tuple[str, Any]]:
    return getattr(item, _HANDLED, [])
