"""What each part of the expansion has in common: its frame, and what it handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from srcgrad.ir.handlers import Handlers, handles

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

_Method = TypeVar("_Method", bound=Callable[..., Any])


def callee(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that says what a call of static values of these kinds gives."""
    return handles("callee", kinds)


def differentiated(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that finds the function with source that is differentiated of these kinds."""
    return handles("differentiated", kinds)


def function(*functions: Any) -> Callable[[_Method], _Method]:
    """Mark the method that says what a call of these functions of a library gives."""
    return handles("function", map(id, functions))


class Part(Handlers):
    """What the expansion knows of one matter. A frame has one of each part.

    Parts reach each other by the frame. What is dispatched by kind (what an expression means, what
    a call gives, how a statement is rewritten) is handled by the method that is marked with it.
    """

    def __init__(self, frame: Interpreter) -> None:
        self.frame = frame
        self.session = frame.session
