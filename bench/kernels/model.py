"""What a model is: a function that has arguments of two sizes, and no gradient by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """One line of the table of models.

    Attributes:
        function: The model, which returns a number.
        arguments: Makes arguments of a size.
        size: The size that is measured.
        argnums: The arguments that the gradient is of.
        small: The size that the tests take.
    """

    function: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    size: int
    argnums: int | tuple[int, ...] = 0
    small: int = 5

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__
