"""What each part of the expansion has in common: its frame, and handlers by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_Method = TypeVar("_Method", bound=Callable[..., Any])
_HANDLED = "__handled__"


def statement(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that rewrites statements of these kinds."""
    return _handler("statement", kinds)


def expression(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that says what expressions of these kinds mean."""
    return _handler("expression", kinds)


def callee(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that says what a call of static values of these kinds gives."""
    return _handler("callee", kinds)


def differentiated(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that finds the function with source that is differentiated of these kinds."""
    return _handler("differentiated", kinds)


def function(*functions: Any) -> Callable[[_Method], _Method]:
    """Mark the method that says what a call of these functions of a library gives."""
    return _handler("function", map(id, functions))


def _handler(table: str, keys: Any) -> Callable[[_Method], _Method]:
    marked = [(table, key) for key in keys]

    def mark(method: _Method) -> _Method:
        setattr(method, _HANDLED, marked)
        return method

    return mark


class Part:
    """What the expansion knows of one matter. A frame has one of each part.

    Parts reach each other by the frame. What is dispatched by kind (what an expression means, what
    a call gives, how a statement is rewritten) is handled by the method that is marked with it.
    """

    handled: ClassVar[Mapping[tuple[str, Any], str]] = {}

    def __init__(self, frame: Interpreter) -> None:
        self.frame = frame
        self.session = frame.session

    def __init_subclass__(cls) -> None:
        marked = ((key, name) for name, item in vars(cls).items() for key in _handled_by(item))
        cls.handled = dict(marked)

    def handler(self, table: str, key: Any) -> Callable[..., Any] | None:
        """Return the method of this part that handles something, if one does."""
        name = self.handled.get((table, key))
        return None if name is None else getattr(self, name)


def _handled_by(item: Any) -> list[tuple[str, Any]]:
    return getattr(item, _HANDLED, [])
