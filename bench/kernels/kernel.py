"""What a kernel is: a function, arguments of several sizes, and its gradient by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kernel:
    """One line of the table.

    Attributes:
        function: The kernel, which returns a number.
        by_hand: Its gradient as one writes it with care: an array, or a tuple of arrays.
        arguments: Makes arguments of a size.
        sizes: A small, a middle and a large size; times are of the middle one.
        argnums: The arguments that the gradient is of.
        is_plain: Whether JAX and autograd can run it as it stands, with their `np`.
    """

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, int, int]
    argnums: int | tuple[int, ...] = 0
    is_plain: bool = False

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__
