"""What each part of the writing for a batch has in common: its writer, and what it handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from srcgrad.ir.handlers import Handlers, handles

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_Method = TypeVar("_Method", bound=Callable[..., Any])


def statement(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that rewrites statements of these kinds."""
    return handles("statement", kinds)


def expression(*kinds: type) -> Callable[[_Method], _Method]:
    """Mark the method that rewrites expressions of these kinds."""
    return handles("expression", kinds)


class Part(Handlers):
    """What is known of one matter of writing a function for a batch. A writer has one of each."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
